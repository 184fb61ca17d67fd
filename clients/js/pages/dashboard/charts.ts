/** Vega, apart from the rest of the page: it is large, and comes when there is something to draw.
 *  Expressions are interpreted from their syntax trees: the page's policy forbids making code of text. */
import { type Runtime, parse, View, Error as ErrorLevel } from "vega";
import { expressionInterpreter } from "vega-interpreter";
import { compile, type TopLevelSpec } from "vega-lite";

export type Tip = (value: unknown, event: MouseEvent | undefined) => void;

const quiet = { level: () => quiet, error: () => quiet, warn: () => quiet, info: () => quiet, debug: () => quiet } as never;

function viewOf(spec: object, container: HTMLElement | null, tip?: Tip): View {
  const runtime: Runtime = parse(compile(spec as TopLevelSpec, { logger: quiet }).spec, undefined, { ast: true } as never);
  const view = new View(runtime, { renderer: container ? "svg" : "none", expr: expressionInterpreter, logLevel: ErrorLevel, ...(container && { container }) });
  if (tip) view.tooltip((_handler, event, _item, value: unknown) => tip(value, event));
  return view;
}

/** Draw a chart into an element; ends with a function that lets go of it. */
export async function draw(container: HTMLElement, spec: object, tip: Tip): Promise<() => void> {
  const view = viewOf(spec, container, tip);
  await view.runAsync();
  for (const named of [container, ...container.querySelectorAll("[aria-label]")]) named.removeAttribute("aria-label"); // the figure around it has the words
  return () => view.finalize();
}

/** A chart as a PNG, with twice the pixels. */
export async function png(spec: object): Promise<Blob> {
  const view = viewOf(spec, null);
  const canvas = await view.toCanvas(2);
  view.finalize();
  return new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("This browser can’t draw the chart."))), "image/png"));
}
