/** A collector that misbehaves when a test tells it to. It has the studies and questionnaires of the vectors. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach } from "vitest";
import { read } from "./support.js";

/** What the server does with the next request; then it takes them. */
export type Turn = number | "hang up" | "say nothing" | { status: number; headers?: Record<string, string>; body?: string };

/** A compiled study of the vectors, by its kind, or a questionnaire ("questionnaires/block"). */
export const compiled = (kind: string): string => JSON.stringify(read(`${kind.includes("/") ? kind : `studies/${kind}`}.json`).study);

/** The collector of the test that runs, and what it got. */
export const collector = {
  server: undefined as unknown as Server,
  url: "",
  turns: [] as Turn[],
  bodies: [] as string[],
  tickets: [] as (string | undefined)[],
  paths: [] as string[],
  /** Whether its studies are closed. */
  closed: false,
  /** The identifiers of all reports that it took. */
  ids: new Set<string>(),
};

function take(request: IncomingMessage, response: ServerResponse): void {
  let body = "";
  request.on("data", (part: Buffer) => (body += part.toString()));
  request.on("end", () => {
    if (request.method === "GET" && collector.closed) response.setHeader("Sottovoce-State", "closed");
    if (request.method === "GET") return void response.end(compiled(request.url!.replace("/studies/", "")));
    collector.bodies.push(body);
    collector.paths.push(request.url!);
    collector.tickets.push(request.headers.authorization);
    const turn = collector.turns.shift() ?? 200;
    if (turn === "hang up") return void request.socket.destroy();
    if (turn === "say nothing") return;
    const { status, headers, body: text } = typeof turn === "number" ? { status: turn, headers: {}, body: undefined } : turn;
    const reports = [JSON.parse(body)].flat() as { id: string }[];
    const fresh = status === 200 ? reports.filter(({ id }) => !collector.ids.has(id) && collector.ids.add(id)).length : 0;
    response.writeHead(status, headers);
    response.end(text ?? JSON.stringify({ accepted: fresh, repeated: reports.length - fresh }));
  });
}

/** Start a collector for each test of a file. */
export function collecting(): void {
  beforeEach(async () => {
    Object.assign(collector, { turns: [], bodies: [], tickets: [], paths: [], closed: false, server: createServer(take) });
    collector.ids.clear();
    await new Promise<void>((resolve) => collector.server.listen(0, "127.0.0.1", resolve));
    collector.url = `http://127.0.0.1:${(collector.server.address() as AddressInfo).port}/studies/`;
  });
  afterEach(() => {
    collector.server.closeAllConnections();
    collector.server.close();
  });
}
