import { h } from "../dom.js";
import type { Estimate, QuestionnaireEstimate, Share } from "./api.js";
import { QUARTILES } from "./distribution.js";

/** A text as a field of a CSV file (RFC 4180). A spreadsheet would run what begins like a formula: such texts get an apostrophe. */
function field(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}

type Row = readonly (string | number | null)[];

/** The columns of all tables, as those that `sottovoce estimate` writes: shares have the columns item and p, figures those of a value. */
const HEAD = ["item", "p", "low", "high", "quantity", "value", "remark", "n", "method", "level", "study", "fingerprint"];

const shareRows = (items: readonly Share[], about: Row): Row[] => items.map(({ item, p, low, high, remark }) => [item, p, low, high, "share", p, remark ?? null, ...about]);

/** The mean and the quartiles. */
function figureRows({ mean, quantiles = [] }: Pick<Estimate, "mean" | "quantiles">, about: Row): Row[] {
  const figures = [...(mean ? [["mean", mean] as const] : []), ...quantiles.map((each) => [QUARTILES[each.q!] ?? `quantile ${each.q!}`, each] as const)];
  return figures.map(([name, { value, low, high, remark }]) => [null, null, low, high, name, value, remark ?? null, ...about]);
}

/** All items with what they were found by, a row each, then the mean and the quartiles of numbers. */
export function csv({ items, n, method, level, study, fingerprint, mean, quantiles }: Estimate): string {
  const about = [n, method, level, study, fingerprint];
  return written(HEAD, [...shareRows(items, about), ...figureRows({ ...(mean && { mean }), ...(quantiles && { quantiles }) }, about)]);
}

/** The rows of each question; `of` says whether the share is that of everyone or of those who answered. */
export function questionnaireCsv({ questions, level, study, fingerprint }: QuestionnaireEstimate): string {
  const rows = Object.entries(questions).flatMap(([name, found]) => {
    const about = [found.n, found.method, level, study, fingerprint];
    const of = (whose: string, each: readonly Row[]): Row[] => each.map((row) => [name, whose, ...row]);
    const figures = of(found.answered ? "those who answered" : "everyone", figureRows(found, about));
    return [...of("everyone", shareRows(found.items, about)), ...of("those who answered", shareRows(found.answered ?? [], about)), ...figures];
  });
  return written(["question", "of", ...HEAD], rows);
}

const written = (head: readonly string[], rows: readonly (readonly (string | number | null)[])[]): string =>
  [head, ...rows].map((row) => `${row.map(field).join(",")}\r\n`).join("");

/** Hand a file to the person. */
export function download(data: Blob, name: string): void {
  const url = URL.createObjectURL(data);
  const link = h("a", { href: url, download: name, hidden: true });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60_000); // some browsers read it later than they say
}

export interface Files {
  /** The estimate on screen: as the collector sent it, and as a table. */
  readonly shown: () => { text: string; csv: () => string } | undefined;
  /** The chart, if there is one of the whole study. */
  readonly png: (() => Promise<Blob>) | undefined;
  readonly reports: () => Promise<Blob>;
}

/** Buttons that hand out files. */
export function exportsSection({ shown, png, reports }: Files): HTMLElement {
  const trouble = h("p", { class: "notice bad", role: "alert", hidden: true });
  const button = (label: string, ending: string, make: () => Blob | Promise<Blob>) => {
    const made = h("button", { type: "button" }, label);
    made.addEventListener("click", () => {
      const name = `${document.body.dataset["study"]}${ending}`;
      trouble.hidden = made.disabled = true;
      Promise.resolve()
        .then(make)
        .then((data) => download(data, name))
        .catch((error: Error) => {
          trouble.textContent = `The file couldn’t be made. ${error.message}`;
          trouble.hidden = false;
        })
        .finally(() => (made.disabled = false));
    });
    return made;
  };
  const found = () => {
    const here = shown();
    if (!here) throw new Error("There is no estimate yet.");
    return here;
  };
  return h(
    "section",
    { id: "files" },
    h("h2", {}, "Files"),
    h(
      "div",
      { class: "buttons" },
      button("Estimate (CSV)", "-estimate.csv", () => new Blob([found().csv()], { type: "text/csv" })),
      button("Estimate (JSON)", "-estimate.json", () => new Blob([found().text], { type: "application/json" })),
      png && button("Chart (PNG)", "-estimate.png", () => (found(), png())),
      button("Reports (Parquet)", "-reports.parquet", reports),
    ),
    h("p", { class: "soft small" }, "The reports are the perturbed answers, in random order. The collector records the export in its audit log."),
    trouble,
  );
}
