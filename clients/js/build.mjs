// Builds the library into dist/ and, with the two pages, into the Python package, which ships them. Both are kept in the repository:
// neither installing the package nor importing the module from a checkout needs a build.
// With --check nothing is written; files that are not what the sources give are named, and the exit code is 1.
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { minify } from "terser";
import { problems } from "./pages/survey/texts/check.mjs";
import { typeset } from "./pages/survey/texts/typeset.mjs";

const STATIC = new URL("../../src/sottovoce/collector/static/", import.meta.url);
const HERE = new URL(".", import.meta.url).pathname;
const DIST = new URL("dist/", import.meta.url);
const TSC = new URL("node_modules/typescript/bin/tsc", import.meta.url).pathname;
const LIMIT = 18_000;

async function bundled(entry, options = {}) {
  const { outputFiles } = await build({
    entryPoints: [entry],
    absWorkingDir: HERE,
    bundle: true,
    minify: true,
    format: "esm",
    target: ["es2022"],
    charset: "utf8",
    legalComments: "none",
    logLevel: "warning",
    write: false,
    ...options,
  });
  return outputFiles[0].text;
}

/** Smaller than esbuild makes it by a twentieth, for what people load on phones. */
async function tightened(text) {
  const { code } = await minify(text, { module: true, ecma: 2022 });
  return `${code}\n`;
}

const library = await bundled("src/index.ts");
const { code } = await minify(library, { module: true, ecma: 2022, compress: { passes: 5, unsafe_arrows: true } });
const size = gzipSync(code, { level: 9 }).length;
if (size >= LIMIT) throw new Error(`the library has ${size} bytes, minified and gzipped; it must stay below ${LIMIT}`);

/** The licences of all packages that a bundle holds, which go wherever it goes. */
async function licences(entry) {
  const { metafile } = await build({ entryPoints: [entry], absWorkingDir: HERE, bundle: true, format: "esm", write: false, metafile: true });
  const packages = new Set(Object.keys(metafile.inputs).flatMap((path) => path.match(/^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//)?.[1] ?? []));
  const texts = new Map();
  for (const folder of [...packages].sort()) {
    const { name, version, license } = JSON.parse(await readFile(join(HERE, folder, "package.json"), "utf8"));
    const file = (await readdir(join(HERE, folder))).find((each) => /^licen[cs]e/i.test(each));
    if (!file) throw new Error(`${name} has no licence to go with it`);
    const text = (await readFile(join(HERE, folder, file), "utf8")).replaceAll("\r\n", "\n").trim();
    texts.set(text, [...(texts.get(text) ?? []), `${name} ${version} (${license})`]);
  }
  const parts = [...texts].map(([text, names]) => `${names.join("\n")}\n\n${text}\n`);
  return `charts.js holds these packages.\n\n${parts.join("\n\n")}`;
}

/** The type declarations, by their places in dist/. */
async function declarations() {
  const folder = await mkdtemp(join(tmpdir(), "sottovoce-"));
  execFileSync(process.execPath, [TSC, "--emitDeclarationOnly", "--outDir", folder], { cwd: new URL(".", import.meta.url), stdio: "inherit" });
  const found = {};
  for (const file of (await readdir(folder, { recursive: true, withFileTypes: true })).filter((each) => each.isFile())) {
    const path = join(file.parentPath, file.name);
    found[relative(folder, path)] = await readFile(path, "utf8");
  }
  await rm(folder, { recursive: true });
  return found;
}

/** How a language writes a day of each month, with {day} and {year}: for pages that the collector makes. */
function days(language) {
  const format = new Intl.DateTimeFormat(language, { dateStyle: "long", timeZone: "UTC" });
  return Array.from({ length: 12 }, (_, month) =>
    format
      .formatToParts(new Date(Date.UTC(2027, month, 15)))
      .map(({ type, value }) => (type === "day" || type === "year" ? `{${type}}` : value))
      .join(""),
  );
}

/** The same in one file, as the collector serves it beside the module: all declarations, of which those of index.d.ts are exported. */
function rolled(found) {
  const own = Object.entries(found).map(([, text]) => text.replace(/^(?:import|export (?:type )?[{*])[^;]*;\n/gm, "").replace(/^export (?=\w)/gm, "").trim());
  const names = [...found["index.d.ts"].matchAll(/^export (type )?\{([^}]*)\}/gm)].flatMap(([, type = "", list]) => list.split(",").map((name) => `${type}${name.trim()}`));
  return `${own.filter(Boolean).join("\n")}\nexport { ${names.map((name) => name.replace(/^type type /, "type ")).join(", ")} };\n`;
}

/** Short keys for the texts of the survey page: phones load each key twice, with the texts and with the script. Only keys with an underscore, which mean nothing else in the pages, and that the collector doesn't read itself. */
const READ = /^(front_|footer_|needs_scripts$)/;
const short = new Map();
for (const key of Object.keys(JSON.parse(await readFile(new URL("pages/survey/texts/en.json", import.meta.url), "utf8")).texts)) {
  if (key.includes("_") && !READ.test(key)) short.set(key, `_${short.size.toString(36)}`);
}
const shortKeys = {
  name: "short keys",
  setup: (made) =>
    made.onLoad({ filter: /\/pages\/.*\.ts$/ }, async ({ path }) => ({ contents: (await readFile(path, "utf8")).replace(/"(\w+)"/g, (all, key) => (short.has(key) ? `"${short.get(key)}"` : all)), loader: "ts" })),
};

/** The texts of the pages for respondents, as they are shipped: for each language those of the survey page, which browsers load, and those
 * of the home page, which the collector writes itself. */
async function wordings() {
  const folder = new URL("pages/survey/texts/", import.meta.url);
  const names = (await readdir(folder)).filter((name) => name.endsWith(".json")).sort();
  const files = await Promise.all(names.map(async (name) => JSON.parse(await readFile(new URL(name, folder), "utf8"))));
  const english = files.find(({ language }) => language === "en");
  const wrong = files.flatMap((file, k) => [...problems(file, english), ...(names[k] === `${file.language}.json` ? [] : [`${names[k]} is called after another language`])]);
  if (wrong.length) throw new Error(`texts of the survey page:\n${wrong.join("\n")}`);
  const listed = files.map(({ language, name }) => [language, name]).sort(([a], [b]) => (b === "en") - (a === "en") || (a < b ? -1 : 1));
  const made = files.flatMap((file) => {
    const { texts, ...about } = typeset(file);
    const [front, survey] = [true, false].map((front) => Object.fromEntries(Object.entries(texts).flatMap(([key, text]) => (key.startsWith("front_") === front ? [[short.get(key) ?? key, text]] : []))));
    return [
      [`survey.${file.language}.json`, JSON.stringify({ ...about, texts: survey })],
      [`front.${file.language}.json`, JSON.stringify({ texts: front, days: days(file.language) })],
    ];
  });
  return [Object.fromEntries(made), listed];
}

/** The look without its tables of shares: the survey has none, and phones load its style sheet. */
const withoutTables = {
  name: "without tables",
  setup: (made) =>
    made.onLoad({ filter: /look\.css$/ }, async ({ path }) => {
      const [contents, ...tables] = (await readFile(path, "utf8")).split("/* A table of shares");
      if (tables.length !== 1) throw new Error("look.css has no comment that begins its tables of shares");
      return { contents, loader: "css" };
    }),
};

const style = await bundled("pages/survey/survey.css", { plugins: [withoutTables] });
const [texts, languages] = await wordings();
/** Style sheets as texts, for pages of others. */
const styles = { name: "styles", setup: (made) => made.onLoad({ filter: /survey\.css$/ }, () => ({ contents: style, loader: "text" })) };

const types = await declarations();
const made = new Map([
  [DIST, { "sottovoce.js": `${code}\n`, ...types }],
  [
    STATIC,
    {
      "sottovoce.js": `${code}\n`,
      "sottovoce.d.ts": rolled(types),
      "survey.js": await tightened(await bundled("pages/survey/main.ts", { plugins: [shortKeys], define: { LANGUAGES: JSON.stringify(languages) } })),
      ...texts,
      "embed.js": await tightened(await bundled("pages/survey/embed.ts", { plugins: [styles, shortKeys], define: { LANGUAGES: JSON.stringify(languages) } })),
      "dashboard.js": await bundled("pages/dashboard/main.ts"),
      "charts.js": await bundled("pages/dashboard/charts.ts"),
      "charts.licences.txt": await licences("pages/dashboard/charts.ts"),
      "survey.css": style,
      "front.css": await bundled("pages/front.css"),
      "dashboard.css": await bundled("pages/dashboard/dashboard.css"),
    },
  ],
]);

const check = process.argv.includes("--check");
if (!check) await rm(DIST, { recursive: true, force: true });
const stale = [];
for (const [folder, files] of made)
  for (const [name, text] of Object.entries(files)) {
    const file = new URL(name, folder);
    if (check) {
      if ((await readFile(file, "utf8").catch(() => "")) !== text) stale.push(name);
    } else {
      await mkdir(new URL(".", file), { recursive: true });
      await writeFile(file, text);
    }
  }
if (stale.length) {
  console.error(`these files are not what the sources give: ${stale.join(", ")}; run: make pages`);
  process.exit(1);
}
console.log(`sottovoce.js: ${size} bytes minified and gzipped`);
