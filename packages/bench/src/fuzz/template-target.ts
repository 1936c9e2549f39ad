import { DataDesignerError, type Row, stringifyJson } from '@data-designer/core';
import {
  compileCondition,
  compileObjectTemplate,
  compileSkip,
  compileTemplate,
  parseTemplate,
} from '@data-designer/template';
import type { FuzzCase, FuzzTarget } from './fuzz-target.ts';
import { caseOf, readCase } from './template-case.ts';
import { templateCorpus } from './template-corpus.ts';
import {
  checkPrototypes,
  checkRecord,
  checkText,
  frozen,
  prototypeSnapshot,
  releaseCanary,
} from './template-guards.ts';

/** Characters of an output that took too long to be made a second time. */
const LONG = 20_000;

/** What a reader or a renderer came to: what it gave, or the code of its failure. */
type Outcome = { readonly gave: unknown } | { readonly failed: string };

/** The readers and renderers of templates: in both modes, as conditions, as skip rules and in shapes of objects. */
export function templateTarget(): FuzzTarget {
  const corpus = templateCorpus();
  return { caseOf: (random) => caseOf(corpus, random), check: checker() };
}

function checker(): (one: FuzzCase) => string {
  let before: ReturnType<typeof prototypeSnapshot> | undefined;
  return ({ text }) => {
    // In the process that reads cases, and not in the one that makes them.
    if (before === undefined) {
      releaseCanary();
      before = prototypeSnapshot();
    }
    try {
      return checkCase(text);
    } finally {
      checkPrototypes(before);
    }
  };
}

/** `rendered`, `rendered natively`, or the code of the native mode's failure. */
function checkCase(text: string): string {
  const { template, record } = readCase(text);
  const row = frozen(record);
  const written = stringifyJson(row);
  const attempt = (work: () => unknown): Outcome => outcomeOf(work, text);
  attempt(() => parseTemplate(template).references.join());
  const secure = attempt(() => rendersSame(template, row, { mode: 'secure' }));
  const native = attempt(() => rendersSame(template, row, { mode: 'native' }));
  // What goes over a limit in one way takes as long in the other.
  const isShort = !('failed' in native) || native.failed !== 'template/limit';
  if (isShort) attempt(() => rendersSame(template, row, { mode: 'native', decode: false }));
  checkModes(template, secure, native);
  attempt(() => boolean(compileCondition(inner(template))(row)));
  attempt(() => boolean(compileSkip(template)(row)));
  if (isShort) attempt(() => stringifyJson(compileObjectTemplate({ [template]: [template] })(row, () => 0.5)));
  checkRecord(row, written);
  if ('gave' in secure) return 'rendered';
  return 'gave' in native ? 'rendered natively' : native.failed;
}

/** What a secure template prints, a native one prints too; only the test `filter` knows which filters a mode has. */
function checkModes(template: string, secure: Outcome, native: Outcome): void {
  if ('failed' in secure || /\bfilter\b/.test(template)) return;
  if ('gave' in native && native.gave === secure.gave) return;
  throw new Error(`secure gives ${print(secure)}, native ${print(native)}`);
}

/** Runs a piece of work; only a failure of templates is an end that a user may see. */
function outcomeOf(work: () => unknown, source: string): Outcome {
  try {
    const gave = work();
    checkText(String(gave), source);
    return { gave };
  } catch (thrown) {
    if (!(thrown instanceof DataDesignerError) || !thrown.code.startsWith('template/')) throw thrown;
    checkText(thrown.message, source);
    return { failed: thrown.code };
  }
}

/** Renders a template twice, the second time with what is remembered of the record; throws where that differs. */
function rendersSame(template: string, row: Row, options: Parameters<typeof compileTemplate>[1]): string {
  const render = compileTemplate(template, options);
  const first = render(row, () => 0.5);
  if (typeof first !== 'string') throw new Error(`a render gives a ${typeof first}`);
  if (first.length < LONG && first !== render(row, () => 0.5))
    throw new Error('a second render of the same record differs from the first');
  return first;
}

function boolean(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw new Error(`a condition gives a ${typeof value}`);
}

/** What stands between the braces of a template that is one expression; else the template. */
function inner(template: string): string {
  return /^\{\{(.*)\}\}$/s.exec(template)?.[1] ?? template;
}

function print(outcome: Outcome): string {
  return 'gave' in outcome ? JSON.stringify(outcome.gave).slice(0, 300) : outcome.failed;
}
