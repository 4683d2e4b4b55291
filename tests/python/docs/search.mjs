// Runs the search of a built site: node search.mjs SITE. Reads a JSON list of queries from the standard input, and prints
// the pages that each query finds, best first, as a JSON object. The code of the search is the site's own; only the parts
// of a browser that it needs are replaced.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createContext, runInContext } from "node:vm";

const site = process.argv[2];
const browser = {
  document: { readyState: "loading", addEventListener() {}, getElementById: () => null, documentElement: { dataset: {} } },
  localStorage: { setItem() {} },
  SPHINX_HIGHLIGHT_ENABLED: false,
  console,
};
browser.window = browser;
const context = createContext(browser);
for (const name of ["_static/documentation_options", "_static/doctools", "_static/language_data", "_static/searchtools", "searchindex"])
  runInContext(readFileSync(join(site, `${name}.js`), "utf8"), context, { filename: `${name}.js` });

const found = {};
for (const query of JSON.parse(readFileSync(0, "utf8"))) {
  context.query = query;
  const results = runInContext("Search._performSearch(...Search._parseQuery(query))", context);
  found[query] = results.reverse().map(([page]) => page); // Sphinx shows the last one first
}
process.stdout.write(JSON.stringify(found));
