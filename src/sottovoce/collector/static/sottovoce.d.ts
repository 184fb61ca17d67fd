/** The answers by the names of their questions; several choices are a list. A refusal is the question's item for it. */
type Answers = Readonly<Record<string, Item | readonly Item[] | null | undefined>>;
/** Whether a question is asked after these answers; not as long as one on which that depends is missing. */
declare const applies: (questionnaire: Questionnaire, name: string, answers: Answers) => boolean;
/** The questions of a form, and the earlier ones on which they depend, in the order of the questionnaire. */
declare function needed({ questions }: Questionnaire, form: Form): string[];
/** The codes of all fields of a form, part by part. Every answer that is given is checked, also to questions that don't count. */
declare function filled(questionnaire: Questionnaire, form: Form, answers: Answers): number[][];
/** The records of all parts of a form, one after the other, as text. */
declare function drawnFor(form: Form, codes: readonly (readonly number[])[], source: Source): string;
/**
 * To how many in 100 a belief of b = `before` in 100 can rise, if odds change by at most the factor f: 100·f·b/(f·b + 100 − b), rounded
 * up to whole numbers or to 1/`parts`. In whole numbers, so that nothing is understated.
 */
declare function percentOf([a, b]: Fraction, parts?: number, before?: number): number;
interface DeviceOptions {
    /** What this device gives in all, as ε: a finite number above 0, 8 by default. */
    readonly cap?: number;
    /**
     * By default, and for `localStorage`, what all tabs of an origin share: a database with a copy in `localStorage`, and `sessionStorage` for drafts
     * and marks, as long as the tab is open. Anything else keeps everything in one place, and only devices with the same storage know of each other.
     */
    readonly storage?: Keeper;
    readonly fetch?: typeof fetch;
    readonly source?: Source;
    /** The most studies whose reports wait to be sent, 100 by default. The oldest ones are removed. */
    readonly maxWaiting?: number;
    /** The most characters of reports that wait, a million by default. */
    readonly maxBytes?: number;
    /** The most days that reports wait, 30 by default. */
    readonly maxDays?: number;
}
/** The form that a person drew, and the questions that go with it. */
interface Asked {
    readonly form: string;
    /** "" if people choose none. */
    readonly level: string;
    /** The questions that count: those of the form. */
    readonly reported: readonly string[];
    /** These and the earlier ones on which they depend, in the order of the questionnaire. */
    readonly needed: readonly string[];
}
type Any = Study | Questionnaire;
type Leveled = {
    readonly level?: string;
};
/**
 * A person's device: it gives each study no more than the study promises, adds up what it gives to all of them and stops at a cap, holds
 * reports until they are acknowledged, and then forgets them. The answer itself is dropped when its report is sent.
 */
declare class Device {
    #private;
    /** What this device gives in all, as ε. */
    readonly cap: number;
    /** Settled when what other tabs did is known, and what an earlier version of this module kept is cleaned up. */
    readonly ready: Promise<void>;
    constructor(options?: DeviceOptions);
    /** Which questions of a questionnaire count. The form is drawn now, or it was before: once, whatever is answered, removed or opened again. */
    asked(study: Questionnaire, { level }?: Leveled): Promise<Asked>;
    /** The reports about an answer: drawn now, or as they were drawn before. Nothing leaves, and the answer can still be changed. */
    prepare(study: Study, item: Item, options?: Leveled): Promise<readonly Report[]>;
    /** The report about the answers to the questions of the form that was drawn. What is given to other questions makes no difference. */
    prepare(study: Questionnaire, answers: Answers, options?: Leveled): Promise<readonly Report[]>;
    /** Commit to what was prepared, and send it. From here on the study has its reports: they wait on the device until they are acknowledged. */
    send(study: Any, reports: readonly Report[], options?: SubmitOptions): Promise<Receipt>;
    /** Send all that waits; tells how many answers were acknowledged. */
    flush(options?: Pick<SubmitOptions, "attempts" | "signal" | "keepalive">): Promise<number>;
    /** Send what waits now, whenever the device is online again, and once more when the page is left. Returns a function that ends this. */
    watch(): () => void;
    /** Where the answer to a study stands. */
    status(study: Any): Status;
    /** What this device has given so far, to all studies. */
    spent(): Spent;
    /** Whether the person has opted out. */
    get optedOut(): boolean;
    /** Take part in nothing any more: nothing is sent, and all is removed that wasn't, also the answers that survey pages keep. What was given still counts. */
    optOut(): Promise<void>;
    /** Take part again. */
    optIn(): Promise<void>;
    /** Remove drafts, marks, and a report that was not acknowledged. What was given still counts, since it may have arrived; a form that was drawn stays. */
    forget(study: Any): Promise<void>;
    /** The person's own sensitive items, tag by tag. */
    marks(study: Study): Marks;
    /** Mark an item under a tag, or take its mark away. The map never leaves the device. */
    mark(study: Study, item: Item, tag: string | null): Promise<void>;
}
type Label = string | number;
/**
 * One attribute of an item, with its labels. A grid's have `bounds`, the interval that they cut into equal cells. Numbers have the
 * `edges` of their bins, from the lowest to the highest, and may all be `whole`. The labels of a `scale` have an order.
 */
interface Axis {
    readonly name: string;
    readonly labels: readonly Label[];
    readonly bounds?: readonly [low: number, high: number];
    readonly edges?: readonly number[];
    readonly scale?: boolean;
    readonly whole?: boolean;
}
/** An item: its label or text, its labels on all axes, a point of a grid, or its number where labels are not numbers themselves. */
type Item = Label | readonly Label[] | Readonly<Record<string, Label>>;
/** The items of a study, numbered from 0; the last axis counts fastest. */
declare class Domain {
    #private;
    readonly axes: readonly Axis[];
    /** What is drawn below the cells of a grid. */
    readonly map?: Basemap | undefined;
    readonly size: number;
    constructor(axes: readonly Axis[], 
    /** What is drawn below the cells of a grid. */
    map?: Basemap | undefined);
    /** The places of an item on the axes. */
    places(code: number): number[];
    /** An item as text: its labels with slashes between them. */
    text(code: number): string;
    /** The number of the item that is written like this. */
    code(item: Item): number;
    /** Whether an item is written like this. */
    has(text: string): boolean;
}
/** A decimal number, which travels as text. */
declare function decimal(value: unknown): number;
declare function domainOf(value: unknown): Domain;
/** The form that was drawn for a level. */
declare function formFor({ drawn }: Ledger, study: Questionnaire, level: string): Form | undefined;
/** Draw a form among those of a level: one word decides. */
declare function drawForm(ledger: Ledger, study: Questionnaire, level: string, source?: Source): Form;
/** The marks that the study knows: it may have been changed since. */
declare function marksOf({ marks }: Ledger, study: Study): Marks;
/** What stands for an answer in this tab, and how its reports are drawn. */
declare function draftOf(ledger: Ledger, study: Study | Questionnaire, answer: unknown, level: string, source?: Source): [key: string, draw: () => Report[]];
/** What kind of thing went wrong: the study, the item, the source of randomness, the ledger, a report, the line, or the collector's refusal. */
type Kind = "study" | "domain" | "source" | "ledger" | "report" | "line" | "refused";
/** Every error of this module. The message says what is wrong and what to do. */
declare class SottovoceError extends Error {
    readonly kind: Kind;
    /** The status of the collector's answer, where there was one. */
    readonly status: number | undefined;
    constructor(kind: Kind, message: string, status?: number);
}
/** Refuse a study unless what must hold of it does. */
declare function must(holds: boolean, message: string): asserts holds;
/** The error of a level that a study doesn't have. Its only level is called "" if people choose none. */
declare function unknownLevel(levels: readonly string[]): SottovoceError;
/** The error of a report that was made for another study. */
declare const foreignReport: () => SottovoceError;
/** Exact arithmetic on whole numbers of any size. No privacy decision rests on a rounded number. */
/** A quotient of two whole numbers that are not negative; over 0 it is infinite. */
type Fraction = readonly [bigint, bigint];
/** Probabilities are whole numbers out of this. */
declare const ONE: bigint;
declare const UNIT: Fraction;
declare const times: (a: Fraction, b: Fraction) => Fraction;
declare const over: (a: Fraction, b: Fraction) => Fraction;
declare const less: (a: Fraction, b: Fraction) => boolean;
/** The largest of some fractions, and of 1. */
declare const largest: (all: readonly Fraction[]) => Fraction;
/** e^(ε/parts) as a fraction that is not above it (and below it by less than one part in 2^200). */
declare function power(epsilon: number, parts?: number): Fraction;
/** A fraction out of 2^256, rounded down or up. */
declare const below: ([a, b]: Fraction) => bigint;
declare const above: ([a, b]: Fraction) => bigint;
/** Three digits that never understate a fraction of at least 1: "2.72", "1060", "infinity"; "1" within one part in 10^9, which is rounding. (Above 9·10^9 doubles may understate, by parts in 10^16.) */
declare function digits([a, b]: Fraction): string;
/** What can happen to the odds of some answers, against any other answer. */
interface Odds {
    /** The answers that it is about (their numbers; behind the items come the tags). */
    readonly inputs: readonly number[];
    /** A report can show (or this one does show) such an answer as it is. */
    readonly shown: boolean;
    /** Factors, rounded up to three digits: "2.72", "1" or "infinity". */
    readonly raised: string;
    readonly lowered: string;
    readonly words: string;
}
interface Explanation {
    /** What is promised, in one or two sentences. */
    readonly promise: string;
    readonly odds: readonly Odds[];
    /** Of a report: the answers that it speaks for. */
    readonly names?: readonly number[];
    /** All of it as text. */
    readonly text: string;
}
interface ExplainOptions {
    readonly level?: string;
    /** Explain this report, instead of what any report can do. */
    readonly report?: Report;
}
/** What a study promises, and what a report can do to the odds of each answer: read off the tables, not off the study's own words. */
declare function explain(study: Study, options?: ExplainOptions): Explanation;
/** The odds that this report brings about, and the inputs that it speaks for: those that make it likeliest. */
declare function oddsOf(channel: Channel, value: Value): [Odds[], number[]];
/** sottovoce in JavaScript: the true answer stays on the device, a perturbed report leaves. */
/** Whether a channel keeps a promise, decided on the whole numbers that are sampled. */
declare const BROKEN = "its tables do not keep its guarantee";
/** What is promised to a person in all. `budgets` has one entry for each input (null: none), `sensitive` is a test of inputs. */
interface Promised {
    readonly notion: string;
    readonly epsilon: number;
    readonly budgets?: readonly (number | null)[];
    readonly prior?: Prior;
    /** Tags under which people mark items of their own; each is an input behind the items. */
    readonly tags: readonly string[];
    sensitive(input: number): boolean;
}
/** Some inputs that stand for all: two of each kind that the channel treats alike and the promise tells apart from others. */
declare function representatives(channel: Channel, about?: (input: number) => unknown): number[];
/** The largest factor between two inputs, over the reports that show no input as it is. */
declare function widest(channel: Channel): Fraction;
/** Whether so many reports of the channel keep the promise together. */
declare function keeps(channel: Channel, promised: Promised, reports: number): boolean;
/** Where a device keeps its ledger: what all tabs agree on, and what is this tab's own. */
/** Where texts are kept: anything with these two methods. */
interface Keeper {
    getItem(key: string): string | null;
    setItem(key: string, value: string): void;
}
/** A ledger in storage. Drafts and marks stay in the tab, unless one storage is given for all. */
declare class Kept {
    #private;
    /** Settled when what other tabs did is known, and what an earlier version of this module kept is cleaned up. */
    readonly ready: Promise<void>;
    constructor(storage: Keeper | undefined, bounds: Bounds);
    read(shared?: string | null): Ledger;
    /** Remove the unsent answers that survey pages of this origin keep, on the device and in this tab. */
    clear(): void;
    /** Change the ledger while no other page of this origin does; nothing is written if that fails. */
    change<T>(act: (ledger: Ledger) => T): Promise<T>;
}
/** What a device keeps, and what is left of it as time passes. */
/** Where an answer stands: not given yet, given and waiting to be sent, acknowledged, refused by the collector, or removed before it was acknowledged. */
type State = "none" | "waiting" | "sent" | "refused" | "removed";
interface Status {
    readonly state: State;
    /** What waits to be sent, or was refused; empty once it is acknowledged or removed. */
    readonly reports: readonly Report[];
    /** Why the collector refused it, or why it was removed. */
    readonly reason?: string | undefined;
    /** The day on which it was given, such as "2027-05-04". */
    readonly day?: string | undefined;
    /** The answer was given to an earlier version of the study; no other is drawn for this one. */
    readonly changed?: boolean;
}
/** A line of the ledger: a study that got an answer. The answer isn't in it, and the reports only until they are acknowledged. */
interface Line extends Omit<Status, "changed"> {
    url: string;
    state: State;
    spent: Spent;
    reports: readonly Report[];
    ticket?: string | undefined;
    reason?: string | undefined;
    /** The last day on which the study takes reports. */
    closes?: string | undefined;
}
/** Reports that were drawn about an answer (the level and the input's number are the key) and never left. */
interface Draft {
    place: string;
    key: string;
    reports: Report[];
}
/** The form that was drawn for a level of a questionnaire, before any answer. */
interface Drawn {
    study: string;
    url: string;
    level: string;
    form: string;
}
/**
 * All that a device keeps. Lines are by the study's fingerprint and stay. Drafts and marked items (with their tags, by the study's place) go with
 * the answer, and so do drawn forms. With `out` the device takes part in nothing.
 */
interface Ledger {
    lines: Record<string, Line>;
    drawn: Drawn[];
    out: boolean;
    drafts: Draft[];
    marks: Record<string, [item: string, tag: string][]>;
}
/** How much may wait to be sent: so many studies, so many characters of reports, for so many days. */
interface Bounds {
    readonly maxWaiting: number;
    readonly maxBytes: number;
    readonly maxDays: number;
}
declare const ANSWERED = "This device has answered. Another answer would reveal too much.";
declare const OUT = "This device has opted out.";
declare const refuse: (message: string) => SottovoceError;
declare const today: () => string;
declare const weight: (reports: readonly Report[]) => number;
/** What stays, as it is read and as it is written: nothing of an answer once a study has it, nor its reports once they are acknowledged. */
declare function tidied({ lines, drawn, out, drafts, marks }: Ledger, bounds: Bounds): Ledger;
/** The ledger of a person who hasn't opted out. */
declare function taking(ledger: Ledger): Ledger;
/** Remove what wasn't acknowledged. */
declare function drop(line: Line, reason?: string): void;
/** The sum over all studies. */
declare function totalOf({ lines }: Ledger): Spent;
type Placed = {
    readonly fingerprint: string;
    readonly url: string;
};
/** What belongs to a study on this device belongs to its address. */
declare const placeFor: (study: Placed) => string;
/** An answer to an earlier version of the study, at the same address. */
declare function earlier({ lines }: Ledger, { fingerprint, url }: Placed): Line | undefined;
/** The line of a study, if it has an answer; where an earlier version was answered, that counts for this one. */
declare function lineOf(ledger: Ledger, study: Placed): Line | undefined;
interface LoadOptions {
    readonly fetch?: typeof fetch;
    readonly signal?: AbortSignal;
}
/** What `read` makes of a compiled study that is fetched from a collector. */
declare function loaded<T extends object>(url: string | URL, options: LoadOptions, read: (json: unknown, url: string) => Promise<T>): Promise<T>;
/** What `make` makes of a compiled study, given as text or as the object that the text stands for, whose keys and fingerprint are right. */
declare function checked<T>(json: unknown, version: number, keys: string[], make: (form: Record<string, any>) => T): Promise<T>;
/** An address without what follows the path. */
declare const plain: (url: string) => string;
/** Why a collector refused, from its problem document if there is one. */
declare function problem(text: string, status: number): string;
/** The SHA-256 of the canonical form (spec/study.md), in hexadecimal. */
declare function fingerprintOf(form: unknown): Promise<string>;
/** The box of a grid is so many units wide and high. x counts from the west and y from the north. */
declare const UNITS = 4096;
/** A named place in the box. */
interface Place {
    readonly name: string;
    readonly x: number;
    readonly y: number;
}
interface Basemap {
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
declare function mapOf(value: unknown): Basemap;
/** The parts and forms of a questionnaire: what is reported as one, and what a person reports in all. */
/** Fields that are reported as one: the answer to a question, a combination of several, or the boxes of several choices with a cap. */
interface Part {
    readonly fields: readonly Field[];
    /** The names of the questions that it is about. */
    readonly questions: readonly string[];
    readonly channel: Channel | Capped;
    /** What the device sends is the answer as it is: nothing about it is sensitive. */
    readonly clear: boolean;
    /** Some reports show an answer as it is. */
    readonly shows: boolean;
    /** The most by which a report that shows no answer changes the odds between two of them. */
    readonly ratio: Fraction;
    /** A report from the codes of the fields. */
    draw(codes: readonly number[], source: Source): Value;
}
/** What a person reports about, if she draws it. Its `name` is the `level` of her report. */
interface Form {
    readonly name: string;
    /** The level that it belongs to, "" if people choose none. */
    readonly level: string;
    /** Its chance, out of 2^64. */
    readonly weight: bigint;
    readonly parts: readonly Part[];
    /** The names of the questions that it is about, in the order of the questionnaire. */
    readonly questions: readonly string[];
    /** The most by which its reports together change the odds. */
    readonly ratio: Fraction;
}
/** A level of privacy for the whole record; its name is "" if people choose none. */
interface Level {
    readonly name: string;
    readonly epsilon: number;
}
declare const isCapped: (channel: Channel | Capped) => channel is Capped;
/** The codes of fields in a combination of their items; the last field counts fastest. */
declare function codesAt(found: readonly Field[], input: number): number[];
/** The items of fields in a combination, by the names of the fields. */
declare const itemsAt: (found: readonly Field[], input: number) => Record<string, string>;
declare function partOf(value: unknown, uldp: boolean, questions: readonly Question[]): Part;
declare function formsOf(value: unknown, parts: readonly Part[], levels: readonly Level[], questions: readonly Question[]): Form[];
/** A questionnaire that has been checked: its fingerprint fits, and every form keeps what its level promises. */
interface Questionnaire {
    readonly name: string;
    readonly fingerprint: string;
    /** Where it was loaded from. */
    readonly url: string;
    /** Whether its administrator had closed it when it was loaded. */
    readonly closed?: boolean;
    /** Reports from which on the collector shows results. */
    readonly minimum: number;
    /** The first one is the default; empty if all texts are in one language. */
    readonly languages: readonly string[];
    readonly texts: {
        readonly title: Texts;
    } & {
        readonly [key in "introduction" | "organisation" | "contact" | "consent" | "thanks"]?: Texts;
    };
    /** The first and the last day (UTC) on which the collector takes reports. */
    readonly dates: {
        readonly opens?: string;
        readonly closes?: string;
    };
    /** Whether people see only the questions that were drawn and those on which they depend, or all, of which the drawn ones are sent. */
    readonly ask: "drawn" | "all";
    /** Whether each question has a screen of its own. */
    readonly paged: boolean;
    readonly notion: "ldp" | "uldp";
    /** One with the name "" if people choose none. */
    readonly levels: readonly Level[];
    /** What levels are called, by language. */
    readonly labels: Readonly<Record<string, Texts>>;
    readonly questions: readonly Question[];
    readonly parts: readonly Part[];
    readonly forms: readonly Form[];
}
/** Fetch a compiled questionnaire from a collector, and check it. */
declare const loadQuestionnaire: (url: string | URL, options?: LoadOptions) => Promise<Questionnaire>;
/** Check a compiled questionnaire, given as text or as the object that the text stands for. */
declare const readQuestionnaire: (json: unknown, url?: string) => Promise<Questionnaire>;
/** What is wrong with the day, if the study takes no reports on it. */
declare function closedOn({ opens, closes }: Questionnaire["dates"], day: string): string | undefined;
/** The forms of a level. */
declare function levelForms({ forms, levels }: Questionnaire, level?: string): Form[];
/** A form by its name, which is the `level` of a report. */
declare function formNamed({ forms }: Questionnaire, name?: string): Form;
/** A text by language, or under "" if the study names no languages. */
type Texts = Readonly<Record<string, string>>;
/** What is reported about a question: its answer, or one of its boxes. Boxes have the items "yes" and "no", and those that stand for no answer. */
interface Field {
    readonly name: string;
    readonly domain: Domain;
}
interface Question {
    readonly name: string;
    readonly texts: {
        readonly text: Texts;
        readonly help?: Texts;
    };
    /** The answers that a person can choose, apart from `other` and `refusal`. */
    readonly answers: Domain;
    /** All that an answer can be: the answers, then `other`, `refusal` and `skipped`, if there are any. */
    readonly domain: Domain;
    /** The items for an answer that isn't listed, for people who prefer not to say, and for those who aren't asked. */
    readonly other: string | undefined;
    readonly refusal: string | undefined;
    readonly skipped: string | undefined;
    /** Whether several answers can be chosen, and how many at most. */
    readonly choices: boolean;
    readonly atMost: number | undefined;
    /** The question is asked only after one of these answers to each of these earlier questions. */
    readonly after: Readonly<Record<string, readonly Label[]>>;
    /** The codes of the sensitive items in `domain`, under "uldp". The boxes of several choices are always sensitive. */
    readonly sensitive: readonly number[];
    /** What items and axes are called, by language. */
    readonly labels: Readonly<Record<string, Texts>>;
    /** Questions with the same text here are reported as one. */
    readonly together: string | undefined;
    readonly fields: readonly Field[];
}
declare function textsOf(value: unknown): Texts;
/** What things are called, by language. In each group names have to differ. */
declare function checkLabels(labels: unknown, languages: readonly string[], groups: readonly (readonly string[])[]): void;
/** The codes of some answers to an earlier question. */
declare const codesOf: ({ domain }: Question, answers: readonly Label[]) => number[];
declare function questionOf(value: unknown, uldp: boolean, earlier: readonly Question[], languages?: readonly string[]): Question;
/** One report: exactly what leaves the device. */
interface Report {
    /** The fingerprint of the study. */
    readonly study: string;
    /** 128 random bits, so that a report that is sent again counts once. */
    readonly id: string;
    readonly report: number | string;
    /** The level that the person chose, where the study has levels. */
    readonly level?: string;
}
/** A person's own sensitive items, tag by tag. They stay on the device. */
type Marks = Readonly<Record<string, readonly Item[]>>;
interface PerturbOptions {
    /** Randomness; by default the system's. Give another only to check vectors. */
    readonly source?: Source;
    readonly level?: string;
    readonly marks?: Marks;
}
/** The block of a level. */
declare function blockAt(study: Study, level?: string): Block;
/** What enters the channel: the item's number, or that of the tag under which its person has marked it. */
declare function inputOf(study: Study, item: Item, marks?: Marks): number;
declare const placeOf: (report: Report) => string | undefined;
/**
 * One report about an item, drawn from the study's channel. Nothing leaves.
 *
 * Drawing anew about the same answer tells more each time: use a `Device`, which keeps count.
 */
declare function perturb(study: Study, item: Item, options?: PerturbOptions): Report;
/** What was drawn as a report of a study, with an identifier of its own. */
declare function made(study: {
    readonly fingerprint: string;
    readonly url: string;
}, drawn: number | string, level: string): Report;
/** What a report reveals about the answer to a question, or to several that are reported as one. */
interface Revealed {
    /** The names of the questions. */
    readonly questions: readonly string[];
    /** The answer itself is in the report. */
    readonly shown: boolean;
    /**
     * The answers that the report speaks for, each with its item by field. Several choices with a cap have an entry for each box that the
     * report names; it speaks for all answers with one of them. Empty if all answers are equally likely to have made the report.
     */
    readonly names: readonly Readonly<Record<string, string>>[];
    /** Several choices with a cap: the report also speaks for answers with at most so many choices. */
    readonly few?: number;
    /** How many times likelier these answers are to have made the report than any others: "2.72", "1" or "infinity". */
    readonly factor: string;
    readonly words: string;
}
interface RevealOptions {
    readonly level?: string;
    /** Explain this report, instead of what any report of the level can reveal. */
    readonly report?: Report;
}
interface Revelation {
    /** What is promised, for people. */
    readonly promise: string;
    /** A belief of 1 in 100 rises to so many in 100 at most. */
    readonly percent: number;
    /** Of a report: what it reveals, part by part. */
    readonly parts: readonly Revealed[];
    /** All of it as text. */
    readonly text: string;
}
/** What a questionnaire promises, and what a report reveals: read off the tables, not off the study's own words. */
declare function reveal(study: Questionnaire, { level, report }?: RevealOptions): Revelation;
declare const NO_CRYPTO = "WebCrypto is missing. Use https and a current browser.";
/** Randomness: an object whose `word()` returns the next 64 bits. */
interface Source {
    word(): bigint;
}
/** The system's generator (WebCrypto). There is no other: without it nothing is drawn. */
declare function secureSource(): Source;
/** Numbers in hexadecimal, each with so many digits. */
declare const hex: (numbers: Iterable<number | bigint>, digits: number) => string;
/** A number below n, each as likely. */
declare function uniform(n: bigint, source: Source): bigint;
/** So many of the numbers below `count`, every selection as likely. */
declare function selection(count: number, wanted: number, source: Source): Set<number>;
/** The first place whose running sum of shares exceeds one word; -1 where there is none. */
declare function place(shares: readonly bigint[], source: Source): number;
/** What answers give away. */
interface Spent {
    /** The privacy budget that adds up over studies, as ε of local differential privacy. */
    readonly epsilon: number;
    /** How many answers a report may show as they are. ε doesn't cover these, so they are counted apart. */
    readonly shown: number;
}
/**
 * What one answer to a study gives away, in all its reports, or one submission to a questionnaire, under the form that tells most.
 *
 * ε is the level of the tables themselves, rounded up to thousandths: the largest factor between two answers over the reports that show
 * no answer as it is. That is ε under LDP, at most ε under ULDP, the largest budget under IPLDP and item-ULDP, and the largest that two
 * items share under min-ID-LDP. Under LIP it is 2ε: two steps from what the study expects. A level that hides nothing has ε = 0 and shows.
 */
declare function price(study: Study | Questionnaire, options?: {
    level?: string;
}): Spent;
/** One level of protection: what it promises (null: it hides nothing), and its channel. */
interface Block {
    readonly level: string;
    readonly promised: Promised | null;
    readonly channel: Channel;
}
/** A study that has been checked: its fingerprint fits, and its tables keep its promise. */
interface Study {
    readonly name: string;
    readonly question: string;
    readonly domain: Domain;
    /** Tags under which people mark items of their own. */
    readonly tags: readonly string[];
    /** Reports that a person gives. */
    readonly reports: number;
    /** Reports from which on the collector shows results. */
    readonly minimum: number;
    readonly blocks: readonly Block[];
    readonly fingerprint: string;
    /** Where it was loaded from. */
    readonly url: string;
    /** Whether its administrator had closed it when it was loaded. */
    readonly closed?: boolean;
}
/** Fetch a compiled study from a collector, and check it. */
declare const loadStudy: (url: string | URL, options?: LoadOptions) => Promise<Study>;
/** Check a compiled study, given as text or as the object that the text stands for. */
declare const readStudy: (json: unknown, url?: string) => Promise<Study>;
/** A level of privacy, or a budget. */
declare function budgetOf(value: unknown): number;
interface SubmitOptions {
    /** The address of the study; known where the report was made by `perturb`. */
    readonly url?: string;
    /** A ticket, where the study asks for one. */
    readonly ticket?: string | undefined;
    /** How often it is tried; 5 times by default. */
    readonly attempts?: number;
    /** How long an attempt may take, in milliseconds; 30,000 by default. */
    readonly timeout?: number;
    /** Lets the request outlive the page; its body may have at most 64 KiB then. */
    readonly keepalive?: boolean;
    readonly fetch?: typeof fetch;
    readonly signal?: AbortSignal;
}
/** How many were counted now, and how many had been counted before. Both are on the collector's disk. */
interface Receipt {
    readonly accepted: number;
    readonly repeated: number;
}
/** How many seconds a collector wants to be left alone. */
declare function wait({ headers }: Response): number;
/**
 * Send a report (or all those of one person), again and again until it is acknowledged: the bytes are the same each time, and it counts once.
 *
 * An error of the kind "line" means that it may be sent again later; "refused" that the collector does not want it.
 */
declare function submit(reports: Report | readonly Report[], options?: SubmitOptions): Promise<Receipt>;
/** Several choices with a cap: a set of at most `cap` of the boxes, or one of the marks (such as a refusal), reported as a set of fixed size. */
interface Capped extends Wire {
    readonly boxes: number;
    readonly marks: number;
    readonly cap: number;
    /** The largest Q(y|set)/Q(y|other set) over all reports and sets. No report shows a set. */
    readonly ratio: Fraction;
    /** A report about boxes that are ticked, or a mark (numbered behind the boxes). */
    draw(own: readonly number[], source: Source): Value;
}
declare function capped(form: WireForm): Capped;
/** A report before it is encoded: a number, the items of a set, or a hash function's seed and a bucket. */
interface Value {
    readonly code?: number;
    readonly set?: readonly number[];
    readonly seed?: bigint;
    readonly bucket?: number;
}
/** What is known about the population before anybody answers: a weight for each item, and their sum. */
interface Prior {
    readonly weights: readonly bigint[];
    readonly total: bigint;
}
/** How the reports of a channel travel: alone as a number or as text, and beside others as a record of so many bytes. */
interface Wire {
    readonly width: number;
    encode(value: Value): number | string;
    /** Back again (a report that this channel made: whether it did is for the collector to say). */
    decode(report: unknown): Value;
    record(value: Value): Uint8Array;
    read(record: Uint8Array): Value;
}
/** Q(report|item), by whole numbers out of 2^64. Items are numbered from 0. */
interface Channel extends Wire {
    readonly size: number;
    /** Reports are the items themselves. */
    readonly names?: boolean;
    draw(item: number, source: Source): Value;
    /** Q(value|item) for every item, up to a factor that all items share. */
    weights(value: Value): (item: number) => Fraction;
    /** Items of a kind are treated alike. */
    kind(item: number): string | number;
    /** Whether some report can come from this item only. */
    reveals(item: number): boolean;
    /** The largest Q(y|item)/Q(y|other), or 1, over the reports y that reveal no item. */
    pair(item: number, other: number): Fraction;
    /** The largest of Pr(y)/Q(y|x) and Q(y|x)/Pr(y) over reports y and items x, or a little more. */
    belief(prior: Prior): Fraction;
}
/** A channel whose report stands for a set of items: those that it speaks for weigh `high`, all others `low`, against a neutral draw. */
interface SetLike extends Channel {
    readonly high: Fraction;
    readonly low: Fraction;
    /** How many items every report stands for; 0 where that differs. */
    readonly chosen: number;
    /** All items alike, none revealed: what a lifted channel can build on. */
    readonly even: boolean;
    /** Whether a report stands for an item. */
    holds(value: Value): (item: number) => boolean;
    /** A draw that depends on no item. */
    neutral(source: Source): Value;
    /** The report that shows an item as it is, where `items` are lifted. */
    shown(item: number): Value;
    /** The base's encoding with room for `items` revealing reports. */
    room(items: number): Wire;
}
/** Why tables are refused that make an item less likely when it is the answer. */
declare const AGAINST = "a report speaks against its item";
type WireForm = Readonly<Record<string, unknown>>;
/** The keys and values of an object. */
declare function entries(form: unknown): [key: string, value: unknown][];
/** An object with exactly these keys (those with a question mark may be missing). */
declare function fields(form: unknown, ...keys: string[]): WireForm;
declare function list(value: unknown): readonly unknown[];
/** Whether no two members of a list are the same. */
declare const different: (all: readonly unknown[]) => boolean;
/** A text that people see. */
declare function textOf(value: unknown): string;
/** Whether two lists have the same members in the same order. */
declare const same: (one: unknown, other: unknown) => boolean;
/** A whole number of at most 2^64, which travels as text. */
declare function integer(value: unknown): bigint;
declare const integers: (value: unknown) => bigint[];
/** A whole number from `least` to 2^31. */
declare function count(value: unknown, least?: number, most?: number): number;
/** Bytes as text, and back. */
declare const base64: (bytes: Uint8Array) => string;
declare const bytes: (report: unknown) => Uint8Array;
/** The smallest of 1, 2, 4 and 8 bytes that holds numbers below a limit. */
declare const width: (limit: number | bigint) => number;
/** A number as bytes, the lowest first, and back. */
declare const little: (whole: bigint, length: number) => Uint8Array;
declare const whole: (record: Uint8Array) => bigint;
/** Reports that are records of bytes, and travel as text. */
declare const records: (width: number, record: Wire["record"], read: Wire["read"]) => Wire;
/** Reports that are numbers below a limit. */
declare const codes: (limit: number) => Wire;
/** The noise of a direct report: the truth with probability `truth`, otherwise item y with probability `noise[y]`. */
interface Direct {
    readonly truth: bigint;
    readonly noise: readonly bigint[];
}
declare function directOf(form: WireForm): Direct;
declare function drawDirect({ noise }: Direct, own: number, source: Source): number;
/** Pr(y)/Q(y|x) and Q(y|x)/Pr(y) for a report whose holders have the weight `mass` in the prior. */
declare function beliefs({ truth, noise }: Direct, report: number, mass: bigint, total: bigint): Fraction[];
declare function direct(form: WireForm): Channel;
/** Explicit rows: row x holds the probability of every report. */
declare function matrix(form: WireForm): Channel;
/** Hadamard response: items are rows of a Hadamard matrix, block by block; a report is a column, and stands for the rows with a + there. */
declare function hadamard(form: WireForm): SetLike;
/** The bucket of an item under the hash function of a seed. */
declare const bucketOf: (seed: bigint, item: number, buckets: number) => number;
/** A hash function of the device's choosing, then a direct report of the item's bucket under it. */
declare function hashed(form: WireForm): SetLike;
/** One of a few public hash functions, each with a direct channel of its own over the buckets. */
declare function hashTables(form: WireForm): Channel;
/** The channel of a form (spec/sampling.md); tables that no channel can have are refused. */
declare function channelOf(form: unknown): Channel;
/** The channel of a part of a questionnaire, which can also be a capped one. */
declare function partChannelOf(form: unknown): Channel | Capped;
/** A lifted channel, and the size of its base's sets. */
interface Lifted extends Channel {
    readonly base: SetLike;
    readonly sensitive: readonly number[];
}
/** A channel over the sensitive items, for all items: the others make a neutral draw, or show themselves as they are. */
declare function lifted(form: WireForm, base: Channel): Lifted;
/** One of two lifted channels over the same items, whose sets differ in size. */
declare function mixed(form: WireForm, parts: readonly Lifted[]): Channel;
/** Sets of items as bits, item 0 in the lowest bit of the first byte. */
declare const packed: (size: number) => Wire;
/** The weights of a report that one item alone can have made. */
declare const only: (bare: number) => (item: number) => Fraction;
declare const ascending: (items: Iterable<number>) => number[];
/** What all channels share that treat items alike and stand for sets. */
declare const evenly: (size: number, chosen: number, high: Fraction, low: Fraction, holds: SetLike["holds"]) => {
    size: number;
    high: Fraction;
    low: Fraction;
    chosen: number;
    even: boolean;
    holds: (value: Value) => (item: number) => boolean;
    weights: (value: Value) => (item: number) => Fraction;
    kind: () => number;
    reveals: () => boolean;
    pair: () => Fraction;
    belief: () => Fraction;
};
/** A bit for each item: set with probability `present` for the own item, `absent` for the others. */
declare function unary(form: WireForm): SetLike;
/** A set of `chosen` items, which holds the own one with probability `include`. */
declare function subset(form: WireForm): SetLike;
/** Noise in every report, and `gain` more in the 2·half + 1 reports around the own place. A free item keeps some of every report, and shows itself otherwise. */
declare function window(form: WireForm): Channel;
export { type Answers, applies, type Asked, Device, type DeviceOptions, type Axis, type Domain, type Item, type Label, type Kind, SottovoceError, type Basemap, type Place, explain, type ExplainOptions, type Explanation, type Odds, type Keeper, type State, type Status, type LoadOptions, type Form, type Level, type Part, loadQuestionnaire, type Questionnaire, readQuestionnaire, type Field, type Question, type Texts, type Marks, perturb, type PerturbOptions, type Report, reveal, type Revealed, type Revelation, type RevealOptions, secureSource, type Source, price, type Spent, type Block, loadStudy, readStudy, type Study, type Receipt, submit, type SubmitOptions };
