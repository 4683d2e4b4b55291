"use strict";

// Ranks a page that only contains a word by its length: the rules, the errors, and the changes contain almost every
// word, so other pages come first. The scores are the defaults of Sphinx.
const LONG_PAGES = new Set(["project/semantics", "project/changelog", "errors"]);

var Scorer = {
  score: ([page, , , , score, , kind]) => (kind === "text" && LONG_PAGES.has(page) ? score / 4 : score),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
