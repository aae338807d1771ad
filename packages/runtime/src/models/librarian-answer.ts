import { type TermMatcher, findBestWindow, clipLine, createTermMatcher } from '../search/excerpt.ts';
import { getFileWeight, isMarkdown, isImportLine } from '../search/file-kind.ts';
import { foldWord, isStopWord, stemWord } from '../search/words.ts';
import { type NumberedLine, lineCutMark, parseLines } from '../tools/read.ts';
import type { ReadOutput } from '../tools/read.ts';
import type { SearchExcerpt } from '../tools/search.ts';
import { findSubject, extractKeywords, type SearchTrail } from './librarian-queries.ts';

/** Below this share of the keywords, the best passage probably uses one of the words in another context. */
const weakShare = 0.34;
const quotesWhenWeak = 1;

/**
 * Composes the answer: a sentence on how well the evidence fits, quoted passages with their locations, and a summary of
 * the searches and reads. It says nothing about the subject that is not quoted from the files.
 */
export function composeAnswer(trail: SearchTrail, evidence: GatheredEvidence): string {
  const isWeak = isWeakEvidence(evidence);
  const quotes = isWeak ? evidence.quotes.slice(0, quotesWhenWeak) : evidence.quotes;
  const paragraphs = [
    formatOpening(trail, evidence, isWeak),
    ...quotes.map(formatQuote),
    formatMissingTerms(evidence),
    formatToolFailures(trail),
    formatSearchAccount(trail),
  ];
  return paragraphs
    .filter((paragraph) => paragraph !== '')
    .join('\n\n')
    .trimEnd();
}

/** Whether the evidence probably does not answer the goal. */
export function isWeakEvidence({ keywords, quotes }: GatheredEvidence): boolean {
  return computeKeywordShare(keywords, quotes[0]?.terms ?? new Set()) < weakShare;
}

function formatOpening(trail: SearchTrail, { keywords, quotes }: GatheredEvidence, isWeak: boolean): string {
  const goalTerms = keywords
    .filter(({ isGoalTerm, similar }) => isGoalTerm && similar === null)
    .map(({ term }) => term);
  if (goalTerms.length === 0)
    return 'There is no question here to search for. Ask about something in the files.';
  const [best] = quotes;
  if (best === undefined) {
    if (trail.searches.length === 0)
      return `I could not search the files, so I know nothing about ${enumerateTerms(goalTerms)}.`;
    return `I found nothing about ${enumerateTerms(goalTerms, 'or')} in ${formatFileCount(trail)}.`;
  }
  const coveredGoalTerms = goalTerms.filter((term) => best.terms.has(term));
  const coveredTerms = coveredGoalTerms.length > 0 ? coveredGoalTerms : [...best.terms];
  if (coveredGoalTerms.length === goalTerms.length) {
    return goalTerms.length === 1
      ? `This is what the files say about ${enumerateTerms(goalTerms)}.`
      : `The first passage has everything I looked for: ${enumerateTerms(goalTerms)}.`;
  }
  if (isWeak) {
    return `I found nothing that answers this in ${formatFileCount(trail)}. The nearest passage has only ${enumerateTerms(coveredTerms)}.`;
  }
  return `No passage here has everything I looked for; the first comes closest, with ${enumerateTerms(coveredTerms)}.`;
}

/** Formats a quote: `path:first-last`, its heading and its lines. */
function formatQuote({ hit, first, last, lines }: CitedQuote): string {
  const heading = hit.heading === '' ? '' : ` (${hit.heading})`;
  // A line break in a file name must not look like a line of the answer.
  const path = hit.path.replace(/\p{Cc}/gu, '\uFFFD');
  return [`${path}:${first}-${last}${heading}`, ...lines.map((line) => `> ${line}`.trimEnd())].join('\n');
}

function formatMissingTerms({ keywords, quotes }: GatheredEvidence): string {
  if (quotes.length === 0) return '';
  const missing = keywords.filter(({ isGoalTerm, isFound }) => isGoalTerm && !isFound);
  if (missing.length === 0) return '';
  const replaced = missing.filter(({ similar }) => similar !== null);
  const substitutions = replaced.map(({ term, similar }) => `For “${term}” I searched for “${similar}”.`);
  return [`Not found anywhere: ${enumerateTerms(missing.map(({ term }) => term))}.`, ...substitutions].join(
    ' ',
  );
}

function formatToolFailures(trail: SearchTrail): string {
  return trail.failures.map(({ tool, message }) => `The tool ${tool} failed: ${message}`).join('\n');
}

/** Summarizes what was searched and read, so that the reader can judge what may be missing. */
function formatSearchAccount(trail: SearchTrail): string {
  if (trail.queries.length === 0) return '';
  const searched = trail.queries.map((query) => `“${query}”`).join(', ');
  const reads = trail.reads.map(({ path, from, to }) => `${path}:${from}-${to}`).join(', ');
  const scope = trail.searches.length === 0 ? '' : ` in ${formatFileCount(trail)}`;
  return `I searched for ${searched}${scope}.${reads === '' ? '' : ` I read ${reads}.`}`;
}

function formatFileCount(trail: SearchTrail): string {
  const files = trail.searches.at(-1)?.files ?? 0;
  return files === 1 ? '1 file' : `${files} files`;
}

function enumerateTerms(terms: readonly string[], last = 'and'): string {
  const quoted = terms.map((term) => `“${term}”`);
  if (quoted.length < 2) return quoted.join('');
  return `${quoted.slice(0, -1).join(', ')} ${last} ${quoted.at(-1)}`;
}

/** Maximum number of quotes. `few` applies if the best quote has all keywords or at most half of them. */
const quotesMax = { all: 5, few: 3, perFile: 2 } as const;

/** Minimum score relative to the best; lower ones share little more than a word with the goal. */
const scoreMin = 0.6;

export type GatheredEvidence = {
  readonly keywords: readonly GoalKeyword[];
  /** Best first. */
  readonly quotes: readonly CitedQuote[];
};

/** Selects the best quotes from all hits and reads. */
export function gatherEvidence(trail: SearchTrail): GatheredEvidence {
  const keywords = weighKeywords(trail);
  const context = { keywords, reads: trail.reads, likeness: createAnswerLikeness(trail.goal, keywords) };
  const quotes = trail.searches.flatMap(({ hits }, index) =>
    hits.map((hit) => toQuote(hit, index === 0, context)),
  );
  const answers = quotes.filter(({ lines }) => !isQuestionEcho(lines, trail.goal));
  return { keywords, quotes: selectQuotes(answers, keywords) };
}

/** Whether a passage merely quotes the question itself, as an example of what can be asked. */
function isQuestionEcho(lines: readonly string[], goal: string): boolean {
  const question = goal.trim().toLowerCase();
  return lines.some((line) => {
    const at = line.toLowerCase().indexOf(question);
    return at > 0 && `"'\`“‘`.includes(line.charAt(at - 1));
  });
}

/**
 * Selects the best quote, then for each missing keyword the best quote that has it, then quotes with nearly the best
 * score. Skips repetitions and more than two quotes per file.
 */
function selectQuotes(
  candidates: readonly CitedQuote[],
  keywords: readonly GoalKeyword[],
): readonly CitedQuote[] {
  const sorted = candidates.filter(({ terms }) => terms.size > 0).toSorted((a, b) => b.score - a.score);
  const [best] = sorted;
  if (best === undefined) return [];
  const share = computeKeywordShare(keywords, best.terms);
  const max = share === 1 || share <= 0.5 ? quotesMax.few : quotesMax.all;
  const chosen = [best];
  const addQuote = (quote: CitedQuote) => {
    const fromFile = chosen.filter(({ hit }) => hit.path === quote.hit.path).length;
    const isNew = fromFile < quotesMax.perFile && !chosen.some((other) => isRepeatedQuote(quote, other));
    if (isNew && chosen.length < max) chosen.push(quote);
  };
  for (const { term } of keywords.filter(({ isGoalTerm, isFound }) => isGoalTerm && isFound)) {
    const quote = sorted.find(({ terms }) => terms.has(term));
    if (quote !== undefined && !chosen.some(({ terms }) => terms.has(term))) addQuote(quote);
  }
  for (const quote of sorted.filter(({ score }) => score >= best.score * scoreMin)) addQuote(quote);
  return chosen.toSorted((a, b) => b.score - a.score);
}

function isRepeatedQuote(a: CitedQuote, b: CitedQuote): boolean {
  if (a.hit.path === b.hit.path && a.first <= b.last && b.first <= a.last) return true;
  return collapseWhitespace(a.lines) === collapseWhitespace(b.lines);
}

function collapseWhitespace(lines: readonly string[]): string {
  return lines.join(' ').replace(/\s+/g, ' ').trim();
}

/** Long enough to be useful, short enough to be read. */
const quoteLimits = { lines: 8, chars: 1_000, lineChars: 400 } as const;

/** Lines of a file that are relevant to the goal. */
export type CitedQuote = {
  readonly hit: SearchExcerpt;
  readonly first: number;
  readonly last: number;
  readonly lines: readonly string[];
  /** Keywords that appear in the lines, the heading or the path. */
  readonly terms: ReadonlySet<string>;
  readonly score: number;
};

export type QuoteContext = {
  readonly keywords: readonly GoalKeyword[];
  readonly reads: readonly ReadOutput[];
  readonly likeness: AnswerLikeness;
};

/** Selects and scores the lines of a hit to quote. `isFirst` marks hits of the first search, for the whole goal. */
function toQuote(hit: SearchExcerpt, isFirst: boolean, context: QuoteContext): CitedQuote {
  const { keywords, likeness } = context;
  const matches = createTermMatcher(keywords.map(({ term }) => term));
  const shown = selectQuoteLines(hit, matches, context);
  const text = shown.map((line) => line.text).join('\n');
  const inPath = hit.terms.filter((term) => foldWord(hit.path).includes(foldWord(term)));
  const terms = new Set([...matches(text), ...matches(hit.heading), ...inPath]);
  // Keywords in the same paragraph, table row or heading are related; in adjacent blocks it may be coincidence.
  const blockShares = [hit.heading, ...splitBlocks(text)].map((block) =>
    computeKeywordShare(keywords, matches(block)),
  );
  const relevance =
    0.7 * Math.max(...blockShares) +
    0.3 * computeKeywordShare(keywords, terms) +
    0.3 * computeKeywordShare(keywords, new Set([...terms, ...hit.terms])) +
    0.5 * likeness.score(text, hit.heading) +
    // The index's top ranks carry information that is not available here; later ranks hardly differ.
    (isFirst ? 0.4 : 0.2) / (1 + (hit.rank - 1) / 3);
  // Square root, because the index has already applied the file weight.
  const weight =
    Math.sqrt(getFileWeight(hit.path)) * (text.split('\n').every(isImportLine) ? importsFactor : 1);
  return {
    hit,
    first: shown.at(0)?.number ?? hit.first,
    last: shown.at(-1)?.number ?? hit.last,
    lines: shown.map((line) => clipLine(line.text, quoteLimits.lineChars, matches)),
    terms,
    score: relevance * weight,
  };
}

/** Imports mention many names but explain nothing. */
const importsFactor = 0.3;

const definitionTerm = 'a definition';

function selectQuoteLines(
  hit: SearchExcerpt,
  matches: TermMatcher,
  context: QuoteContext,
): readonly NumberedLine[] {
  const { keywords, reads, likeness } = context;
  const known = collectSurroundingLines(hit, reads);
  const mean = keywords.reduce((sum, { weight }) => sum + weight, 0) / keywords.length;
  const weights = new Map(keywords.map(({ term, weight }) => [term, weight / mean]));
  const limits = { linesMax: quoteLimits.lines, charsMax: quoteLimits.chars };
  const choose = (lines: readonly NumberedLine[], matcher: TermMatcher) => {
    const texts = lines.map(({ text }) => text);
    const { start, end } = findBestWindow(texts, {
      ...limits,
      matches: matcher,
      getTermWeight: (term) => weights.get(term) ?? 1,
    });
    return stripHeading(lines.slice(start, end));
  };
  // A definition counts as one extra term with the default weight, because it is not a keyword.
  const chosen = choose(known, (line) =>
    likeness.defines(line) ? new Set([...matches(line), definitionTerm]) : matches(line),
  );
  if (chosen.some(({ text }) => matches(text).size > 0)) return chosen;
  // Only the heading contains the keywords: quote the section from its beginning.
  const section = known.slice(known.findIndex(({ number }) => number === chosen[0]?.number));
  return choose(section, () => new Set());
}

/** Splits text into paragraphs, table rows and list items. */
function splitBlocks(text: string): readonly string[] {
  return text.split(/\n(?=\s*(?:\n|\||[-*+]\s|\d+[.)]\s))/);
}

/** Merges the lines of a hit with the lines read around it into one contiguous range. */
function collectSurroundingLines(hit: SearchExcerpt, reads: readonly ReadOutput[]): readonly NumberedLine[] {
  const lines = new Map(parseLines(hit.text).map((line) => [line.number, line]));
  const from = Math.min(...lines.keys());
  for (const read of reads.filter(({ path }) => path === hit.path)) {
    for (const line of parseLines(read.text)) {
      // An excerpt shows the relevant part of a long line; a read shows only its beginning.
      if (!lines.has(line.number) || !line.text.endsWith(lineCutMark)) lines.set(line.number, line);
    }
  }
  const at = (number: number) => (belongsToPassage(number, hit, lines) ? lines.get(number) : undefined);
  const run: NumberedLine[] = [];
  for (let line = at(from); line !== undefined; line = at(line.number - 1)) run.unshift(line);
  for (let line = at(from + 1); line !== undefined; line = at(line.number + 1)) run.push(line);
  return run;
}

/** Maximum number of lines by which a quote may extend beyond its passage. */
const quoteMargin = 6;

/** Whether a line is in the passage, or near it and neither in another section nor an import. */
function belongsToPassage(
  number: number,
  hit: SearchExcerpt,
  lines: ReadonlyMap<number, NumberedLine>,
): boolean {
  if (number >= hit.first && number <= hit.last) return true;
  if (number < hit.first - quoteMargin || number > hit.last + quoteMargin) return false;
  const text = lines.get(number)?.text ?? '';
  if (!isMarkdown(hit.path)) return text.trim() === '' || !isImportLine(text);
  const next = lines.get(number + 1)?.text ?? '';
  return !headingPattern.test(number < hit.first ? next : text);
}

/** Removes leading headings, because the citation already names the heading. */
function stripHeading(lines: readonly NumberedLine[]): readonly NumberedLine[] {
  const start = lines.findIndex(({ text }) => text.trim() !== '' && !headingPattern.test(text));
  return lines.slice(Math.max(0, start));
}

const headingPattern = /^#{1,6}\s/;

/** Scores how much a text reads like an answer to the goal, independently of keyword matches. */
export type AnswerLikeness = {
  /** From below 0 to about 2. */
  score(text: string, heading: string): number;
  /** Whether the text defines or declares the subject of the goal. */
  defines(text: string): boolean;
};

function createAnswerLikeness(goal: string, keywords: readonly GoalKeyword[]): AnswerLikeness {
  const subject = findSubject(goal);
  const definitions = buildDefinitionPatterns(subject, keywords);
  const phrases = extractPhrases(goal, keywords);
  const defines = (text: string) => definitions.some((pattern) => pattern.test(text));
  const isAbout = (heading: string) => subject !== null && isSubjectTitle(heading, subject);
  const score = (text: string, heading: string) => {
    const flat = flattenText(text);
    const matched = phrases.filter((phrase) => flat.includes(phrase)).length;
    const definitionScore = defines(text) || isAbout(heading) ? 1.6 : 0;
    return definitionScore + Math.min(1, matched / 2) * 0.6 - (isTableText(text) ? 0.4 : 0);
  };
  return { score, defines };
}

/** Patterns for "A pawl is …" at the start of a sentence, and for declarations of a keyword in code. */
function buildDefinitionPatterns(
  subject: string | null,
  keywords: readonly GoalKeyword[],
): readonly RegExp[] {
  const names = keywords.map(({ term }) => term).filter((term) => /^[\p{L}\p{N}_]+$/u.test(term));
  const patterns = names.map((name) => new RegExp(`\\b(?:${declarationKeywords})\\s+${name}\\b`, 'iu'));
  if (subject === null || !names.includes(subject)) return patterns;
  const article = '(?:(?:an?|the|each|every)\\s+)?';
  const verb = '(?:is|are|means|stands\\s+for)\\s';
  return [
    ...patterns,
    new RegExp(`${sentenceStart}${article}[*_"\`]*${subject}s?[*_"\`]*\\s+${verb}`, 'imu'),
  ];
}

const declarationKeywords = 'function|class|const|let|type|interface|enum|def|fn|func|struct|trait|module';

/** At the start of a line, list, quote or comment markers may come first. */
const sentenceStart = '(?:^[\\s\\-*>/#|\\d.]*|[.!?:]\\s+)';

/** Whether a heading such as "4. The governor" consists only of the subject. */
function isSubjectTitle(heading: string, subject: string): boolean {
  const words = heading.match(/\p{L}[\p{L}\p{N}]*/gu) ?? [];
  const significant = words.filter((word) => !isStopWord(word)).map(stemWord);
  return significant.length === 1 && significant[0] === stemWord(subject);
}

/** Extracts sequences of three words from the goal that contain a keyword, such as "after a crash". */
function extractPhrases(goal: string, keywords: readonly GoalKeyword[]): readonly string[] {
  const terms = new Set(keywords.map(({ term }) => foldWord(term)));
  const words = flattenText(goal).trim().split(' ').slice(0, 60);
  return words
    .map((_, index) => words.slice(index, index + 3))
    .filter((phrase) => phrase.length === 3 && phrase.some((word) => terms.has(word)))
    .map((phrase) => ` ${phrase.join(' ')} `);
}

function flattenText(text: string): string {
  return ` ${foldWord(text).replace(/[^\p{L}\p{N}]+/gu, ' ')} `;
}

/** Table rows make little sense without their header. */
function isTableText(text: string): boolean {
  const lines = text.split('\n');
  return lines.filter((line) => /^\s*\|.*\|\s*$/.test(line)).length * 2 > lines.length;
}

/** A word of the goal, or one searched for instead, with its frequency in the folder. */
export type GoalKeyword = {
  readonly term: string;
  /** Whether it is from the goal or a spelling correction of it, rather than a synonym. */
  readonly isGoalTerm: boolean;
  readonly isFound: boolean;
  /** The similarly spelled word that was searched for instead. */
  readonly similar: string | null;
  /** Weight when comparing passages: rarer words count more. */
  readonly weight: number;
};

function weighKeywords(trail: SearchTrail): readonly GoalKeyword[] {
  const searched = new Map(trail.searches.flatMap(({ terms }) => terms).map((each) => [each.term, each]));
  const goalKeywords = extractKeywords(trail.goal);
  const corrected = goalKeywords
    .map((term) => searched.get(term)?.similar)
    .filter((term) => searched.has(term ?? ''));
  const goalTerms = new Set([...goalKeywords, ...corrected]);
  return [...new Set([...goalKeywords, ...searched.keys()])].map((term) => {
    const { passages = 0, similar = null } = searched.get(term) ?? {};
    const isGoalTerm = goalTerms.has(term);
    const rarity = Math.log2(2 + (passages > 0 ? passages : estimateMissingPassages(term, trail.goal)));
    return { term, isGoalTerm, isFound: passages > 0, similar, weight: (isGoalTerm ? 2 : 1) / rarity };
  });
}

/**
 * Estimates the frequency of a word that was not found: a capitalized name within the goal counts as rare because it is
 * probably the subject; any other word may just be a different phrasing.
 */
function estimateMissingPassages(term: string, goal: string): number {
  return /^\p{Lu}/u.test(term) && !goal.trimStart().startsWith(term) ? 0 : 2;
}

/**
 * Returns the share of the asked keywords that these terms cover, from 0 to 1. Missing keywords count like rare words.
 */
function computeKeywordShare(keywords: readonly GoalKeyword[], terms: ReadonlySet<string>): number {
  const goalKeywords = keywords.filter(({ isGoalTerm, similar }) => isGoalTerm && similar === null);
  const totalWeight = goalKeywords.reduce((sum, { weight }) => sum + weight, 0);
  const coveredWeight = keywords
    .filter(({ term }) => terms.has(term))
    .reduce((sum, { weight }) => sum + weight, 0);
  return totalWeight === 0 ? 0 : Math.min(1, coveredWeight / totalWeight);
}
