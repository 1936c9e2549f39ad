import { DataDesignerError, type FailureCode } from '@data-designer/core';
import { compileTemplate } from '@data-designer/template';
import { readCase } from '../fuzz/template-case.ts';
import type { JinjaAnswer } from './open-jinja.ts';

/** What we make of a template: its output, or the failure. */
export type OwnAnswer = { readonly output: string } | { readonly code: FailureCode; readonly message: string };

/**
 * How two answers compare: the same text, a failure of both for one reason or for two, what we refuse on purpose, and
 * what differs.
 */
export type Verdict =
  | { readonly kind: 'equal' | 'failed' }
  | { readonly kind: 'otherwise' | 'ruled' | 'different'; readonly group: string };

/** Renders a case as the native mode does, with text in cells as it is. */
export function ownAnswer(template: string, record: string): OwnAnswer {
  const { record: row } = readCase(`${record}\n`);
  try {
    return { output: compileTemplate(template, { mode: 'native', decode: false })(row, () => 0.5) };
  } catch (thrown) {
    if (!(thrown instanceof DataDesignerError)) throw thrown;
    return { code: thrown.code, message: thrown.message };
  }
}

/** Python prints these of what has no text: an iterator or a method, with its address. */
const ADDRESS = /(?:<|&lt;)[^<>]* at 0x[0-9a-f]+(?:>|&gt;)/i;

/** Compares what we make of a template with what Jinja2 makes of it. */
export function compare(own: OwnAnswer, jinja: JinjaAnswer): Verdict {
  if ('output' in own && 'output' in jinja)
    return own.output === jinja.output
      ? { kind: 'equal' }
      : { kind: 'different', group: 'both print, but not the same' };
  if ('error' in jinja) {
    if (!('code' in own)) return { kind: 'different', group: `only Jinja2 fails: ${sign(jinja)}` };
    if (isOneReason(own.code, jinja.error)) return { kind: 'failed' };
    const isRefused = /which is not a column/.test(own.message) || ADDRESS.test(jinja.message);
    return isRefused ? { kind: 'failed' } : { kind: 'otherwise', group: `${sign(own)} | ${sign(jinja)}` };
  }
  const group = `only we fail: ${sign(own as OwnFailure)}`;
  return { kind: isRuled(own as OwnFailure, jinja.output) ? 'ruled' : 'different', group };
}

/** What Python throws for each of our failures; all else is a record that does not fit. */
const REASONS: Readonly<Record<string, readonly FailureCode[]>> = {
  TemplateSyntaxError: ['template/syntax', 'template/refused'],
  TemplateAssertionError: ['template/syntax', 'template/unsupported-filter', 'template/refused'],
  TemplateRuntimeError: ['template/unsupported-filter', 'template/record', 'template/refused'],
  UndefinedError: ['template/empty-render'],
  SecurityError: ['template/refused'],
};

function isOneReason(code: FailureCode, error: string): boolean {
  const isLimit = code === 'template/limit' || ['TooLong', 'MemoryError', 'RecursionError'].includes(error);
  return isLimit || (REASONS[error] ?? ['template/record']).includes(code);
}

type OwnFailure = Extract<OwnAnswer, { readonly code: string }>;

/** What is refused by design: limits, what has no text, and parts of the language that are listed as not supported. */
function isRuled({ code, message }: OwnFailure, output: string): boolean {
  if (code === 'template/limit' || ADDRESS.test(output)) return true;
  const isListed = /\{% (macro|call|block|extends|include|import)|lipsum|cycler|joiner|recursive/.test(message);
  return isListed || /which is not a column/.test(message);
}

/** A failure without the names and numbers of its case, so that failures of one kind read the same. */
function sign(failure: OwnFailure | Extract<JinjaAnswer, { readonly error: string }>): string {
  const name = 'code' in failure ? failure.code : failure.error;
  // The message of an empty render quotes the template.
  if (name === 'template/empty-render') return name;
  const message = failure.message
    .replace(/\n[^]*/, '')
    .replace(/ (?:Use one of:|Did you mean) .*/, '')
    .replaceAll(/(?<!filter )'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/g, "'...'")
    .replaceAll(/-?\d+(?:\.\d+)?/g, 'N')
    .slice(0, 140);
  return `${name}: ${message}`;
}
