/** The box of a grid is so many units wide and high. x counts from the west and y from the north. */
export declare const UNITS = 4096;
/** A named place in the box. */
export interface Place {
    readonly name: string;
    readonly x: number;
    readonly y: number;
}
export interface Basemap {
    /** Areas in the order in which they are painted. An outline has two numbers for each point: the first point, then the steps. */
    readonly shapes: readonly {
        readonly land: boolean;
        readonly outline: readonly number[];
    }[];
    readonly lines: readonly (readonly number[])[];
    /** The most important place first. */
    readonly places: readonly Place[];
    readonly credit: string;
}
export declare function mapOf(value: unknown): Basemap;
