/** The person's own sensitive items. */
import type { Device, Study } from "../../src/index.js";
import { fill, h } from "../dom.js";
import { itemName } from "../names.js";
import type { Frame } from "./frame.js";

export interface Marking {
  readonly element: HTMLElement;
  refresh(): void;
}

export function marksFieldset(study: Study, device: Device, frame: Frame, current: () => number | null, tag: (code: number) => string | undefined, changed: () => void): Marking {
  const { say } = frame;
  const about = h("p", { class: "soft small" });
  const list = h("ul", { class: "marks" });
  const name = (code: number) => itemName(study.domain, code, say);
  const mark = async (code: number, under: string | null) => {
    try {
      await device.mark(study, study.domain.text(code), under);
    } catch {
      frame.wrong(null, "marks_failed");
    }
    refresh(); // what is shown is what is kept
    changed();
  };
  const inputs = [null, ...study.tags].map((each) => {
    const input = h("input", { type: "radio", name: "mark", value: each ?? "", change: () => void mark(current()!, each) });
    return { each, input, label: h("label", { class: "choice" }, input, h("span", { dir: "auto" }, each === null ? say.t("marks_none") : say.t("marks_tag", { tag: each }))) };
  });
  const refresh = () => {
    const code = current();
    fill(about, ...(code === null ? say.rich("marks_choose") : say.rich("marks_is", { answer: name(code) })));
    for (const { each, input } of inputs) {
      input.disabled = code === null;
      input.checked = code !== null && (tag(code) ?? null) === each;
    }
    const marked = Object.entries(device.marks(study)).flatMap(([under, items]) => items.map((item) => [under, study.domain.code(item)] as const).filter(([, each]) => each !== code)); // the choices above are for the current answer
    list.replaceChildren(
      ...marked.map(([under, each]) =>
        h(
          "li",
          {},
          h("span", {}, h("bdi", {}, say.t("grid_marked", { place: name(each), tag: under })), " "),
          h("button", { type: "button", class: "slight", "aria-label": say.t("marks_remove_from", { answer: name(each) }), click: () => void mark(each, null) }, say.t("marks_remove")),
        ),
      ),
    );
  };
  refresh();
  return {
    element: h(
      "fieldset",
      { id: "marks" },
      h("legend", {}, say.t("marks")),
      h("p", {}, say.t("marks_explained")),
      about,
      h("div", { class: "choices row" }, ...inputs.map(({ label }) => label)),
      list,
    ),
    refresh,
  };
}
