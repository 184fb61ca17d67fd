/** A survey in an element of a page: on the collector's own page, and in pages of others. */
import { type Device, type Questionnaire, readQuestionnaire, readStudy, type Study } from "../../src/index.js";
import { loaded } from "../../src/load.js";
import { fill, h } from "../dom.js";
import { Texts, type Wording } from "../texts.js";
import { openingError } from "./errors.js";
import { Frame } from "./frame.js";
import { choose, languageName, remember, remembered } from "./languages.js";
import { OneQuestion } from "./one.js";
import { own, ownSpan } from "./own.js";
import { SeveralQuestions } from "./questionnaire.js";
import { brokenScreen, type Stop } from "./stopped.js";
import { Survey } from "./survey.js";

/** What is known of a study besides its tables. */
export interface About {
  readonly state: "open" | "closed" | "early";
  /** Only people with tickets can answer. */
  readonly invited: boolean;
}

export interface MountOptions {
  /** The address of the study. */
  readonly url: string;
  readonly about: Promise<About> | About;
  readonly ticket: string;
  /** How to reach those who run the site. Studies with a contact of their own show that. */
  readonly contact?: string;
  readonly device: Device | (() => Device);
  readonly history: boolean;
  /** Starts the survey again for the next person, on a device that people share. */
  readonly again?: () => void;
  readonly rank: 1 | 2;
  /** The languages of the page's own texts with their names, the default first; and how to get the texts. */
  readonly languages: readonly (readonly [code: string, name: string])[];
  readonly wording: (language: string) => Promise<Wording>;
  /** The languages that the person wants, the best one first. */
  readonly wanted: readonly string[];
  /** Called when the page's texts are in another language. */
  readonly translated?: (say: Texts, title: string) => void;
}

/** A study of one question, or of several. */
const load = (url: string): Promise<Study | Questionnaire> =>
  loaded<Study | Questionnaire>(url, {}, (text, address) => {
    const form = parsed(text);
    return (form as { sottovoce?: unknown } | null)?.sottovoce === 2 ? readQuestionnaire(form, address) : readStudy(form, address);
  });

function parsed(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return null; // which is no study, and is refused as such
  }
}

/** The texts of a language, from where this page's own files are. */
export const wordings =
  (folder: string | URL) =>
  async (language: string): Promise<Wording> => {
    const answer = await fetch(folder instanceof URL ? new URL(`survey.${language}.json`, folder) : `${folder}survey.${language}.json`, { credentials: "omit", referrerPolicy: "no-referrer" });
    if (!answer.ok) throw new Error(`no texts: ${answer.status}`);
    return (await answer.json()) as Wording;
  };

const title = (study: Study | Questionnaire, say: Texts): string => ("questions" in study ? own(study.texts.title, say) : study.question);
const heading = (study: Study | Questionnaire, say: Texts): HTMLElement => ownSpan("questions" in study ? study.texts.title : { "": study.question }, say);

/** Show a survey in an element. The function that it gives ends it. */
export async function mount(root: HTMLElement, options: MountOptions): Promise<() => void> {
  const owned = options.languages.map(([code]) => code);
  const wanted = [...remembered(), ...options.wanted];
  const first = choose([], owned, wanted);
  const early = options.wording(first.page); // while the study is on its way
  early.catch(() => undefined);
  try {
    const study = await load(options.url);
    const chosen = choose("questions" in study ? study.languages : [], owned, wanted);
    const say = async (language: string, page: string) => new Texts(await (page === first.page ? early : options.wording(page)), language);
    const names = new Map(options.languages);
    const frame = new Frame(root, await say(chosen.study, chosen.page), {
      rank: options.rank,
      contact: options.contact ?? "",
      title: (texts) => heading(study, texts),
      languages: chosen.options.map((code) => [code, names.get(code) ?? languageName(code)]),
      chosen: (language) => {
        remember(language);
        const { page } = choose([language], owned, [language, ...wanted]);
        void say(language, page).then((texts) => (frame.translate(texts), options.translated?.(texts, title(study, texts))));
      },
    });
    options.translated?.(frame.say, title(study, frame.say));
    return await started(frame, study, options);
  } catch (error) {
    await failed(root, openingError(error), options.rank, early);
    return () => undefined;
  }
}

async function started(frame: Frame, study: Study | Questionnaire, { device: given, about, ticket, history, again }: MountOptions): Promise<() => void> {
  const stop = (key: Stop) => {
    frame.show(() => brokenScreen(key, frame.say), { focus: false });
    return () => undefined;
  };
  let device: Device;
  try {
    device = typeof given === "function" ? given() : given;
  } catch {
    return stop("error_storage");
  }
  try {
    await device.ready;
    device.status(study);
  } catch {
    return stop("error_ledger");
  }
  const setting = { study, device, frame, ticket, history, ...(again && { again }), ...(await about) };
  const survey = new Survey(setting, (sending) => ("questions" in study ? new SeveralQuestions(study, sending) : new OneQuestion(study, sending)));
  survey.start();
  return () => survey.stop();
}

/** The study could not be opened, so there is no frame: all that is known of it is the title that the page came with. */
async function failed(root: HTMLElement, stop: Stop, rank: 1 | 2, wording: Promise<Wording>): Promise<void> {
  const say = await wording.then((found) => new Texts(found), () => null);
  const { heading, parts } = say ? brokenScreen(stop, say) : { heading: "", parts: [h("p", { class: "notice bad", role: "alert" }, "The study can’t be loaded. Check your connection and reload the page.")] };
  root.classList.add("underway");
  fill(root, h("div", { class: "top" }, ...[...root.querySelectorAll("h1, h2")].slice(0, 1)), h("div", { id: "app" }, heading && h(`h${rank + 1}` as "h2", {}, heading as string), ...parts));
}
