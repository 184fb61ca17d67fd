import { h } from "../dom.js";
import type { Estimate, QuestionnaireEstimate } from "./api.js";

/** A text as a field of a CSV file (RFC 4180). A spreadsheet would run what begins like a formula: such texts get an apostrophe. */
function field(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** All items with what they were found by: a row each. */
export function csv({ items, people, n, method, level, study, fingerprint }: Estimate): string {
  const head = ["item", "share", "low", "high", "people", "reports", "method", "level", "study", "fingerprint"];
  return written(head, items.map(({ item, p, low, high }) => [item, p, low, high, people, n, method, level, study, fingerprint]));
}

/** A row for each item of each question; `among` says whether the share is that of all people or of those who answered. */
export function questionnaireCsv({ questions, level, study, fingerprint }: QuestionnaireEstimate): string {
  const head = ["question", "item", "among", "share", "low", "high", "asked", "method", "level", "study", "fingerprint"];
  const rows = Object.entries(questions).flatMap(([name, { items, answered = [], n, method }]) =>
    [...items.map((each) => ["all", each] as const), ...answered.map((each) => ["those who answered", each] as const)].map(([among, { item, p, low, high }]) => [
      name,
      item,
      among,
      p,
      low,
      high,
      n,
      method,
      level,
      study,
      fingerprint,
    ]),
  );
  return written(head, rows);
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
