export function problems(file: unknown, english: unknown): string[];
