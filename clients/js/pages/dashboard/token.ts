import { h } from "../dom.js";

/** A form that asks for the analyst's token. */
export function tokenForm(message: string | undefined, given: (token: string) => void): HTMLElement {
  const field = h("input", { id: "token", type: "password", autocomplete: "off", spellcheck: "false", required: true, "aria-describedby": "token-note" });
  const trouble = h("p", { class: "notice bad", role: "alert", id: "token-trouble", hidden: !message }, message);
  const form = h(
    "form",
    {
      submit: (event) => {
        event.preventDefault(); // nothing is ever submitted: the token goes into a header
        const token = field.value.trim();
        if (/^[!-~]+$/.test(token)) return given(token);
        trouble.textContent = "A token contains only letters, digits and underscores. Copy it as “sottovoce token create” printed it.";
        trouble.hidden = false;
        field.focus();
      },
    },
    h("label", { for: "token" }, "Analyst token"),
    h("div", { class: "row" }, field, h("button", { class: "main", type: "submit" }, "Open")),
  );
  const note = h(
    "p",
    { class: "soft small", id: "token-note" },
    "It begins with sv_. An administrator of this collector creates one with ",
    h("code", {}, "sottovoce token create"),
    ". It stays in this tab (and tabs opened from it) until it is closed, and is sent to this collector only.",
  );
  return h("section", { class: "card ask" }, h("h2", {}, "The results are for analysts"), trouble, form, note);
}
