import { Random } from '@data-designer/core';
import { makeTemplate } from '../fuzz/template-grammar.ts';
import { recordLine } from '../fuzz/template-record.ts';
import { compare, ownAnswer, type OwnAnswer, type Verdict } from './compare.ts';
import { type Jinja, type JinjaAnswer, openJinja } from './open-jinja.ts';
import { shorten } from './shorten.ts';

/** A template on which we and Jinja2 do not agree, as short as it was found to be. */
export interface Difference {
  readonly number: number;
  readonly group: string;
  readonly template: string;
  readonly record: string;
  readonly own: OwnAnswer;
  readonly jinja: JinjaAnswer;
}

/** What came of all cases. */
export interface OracleReport {
  readonly counts: Readonly<Record<Verdict['kind'], number>>;
  readonly differences: readonly Difference[];
  /** What is refused by design, and how often. */
  readonly ruled: ReadonlyMap<string, number>;
}

/** What chance has a part in. */
const UNSURE = /random|lipsum/;

/** Differences of one group that are made short; each takes some hundred questions. */
const MAX_SHORT = 60;

/** Asks Jinja2 about templates of the fuzzer's grammar, from number 0 on, and compares. */
export async function askTemplates(seed: number, cases: number): Promise<OracleReport> {
  await using jinja = openJinja();
  const random = Random.of(seed, 'oracle');
  const counts = { equal: 0, failed: 0, otherwise: 0, ruled: 0, different: 0 };
  const differences: Difference[] = [];
  const ruled = new Map<string, number>();
  for (let number = 0; number < cases; number++) {
    const { template, record } = caseOf(random.at(number));
    const verdict = compare(ownAnswer(template, record), await jinja.render(template, record));
    counts[verdict.kind]++;
    if (verdict.kind === 'ruled') ruled.set(verdict.group, (ruled.get(verdict.group) ?? 0) + 1);
    if (verdict.kind !== 'different' && verdict.kind !== 'otherwise') continue;
    const { group } = verdict;
    const isKnown = differences.filter((one) => one.group === group).length >= MAX_SHORT;
    const text = isKnown ? template : await shortest({ template, record, group }, jinja);
    const answers = { own: ownAnswer(text, record), jinja: await jinja.render(text, record) };
    differences.push({ number, group, template: text, record, ...answers });
  }
  return { counts, differences, ruled };
}

function caseOf(random: Random): { readonly template: string; readonly record: string } {
  const record = recordLine(random);
  for (;;) {
    const depth = 1 + random.below(4);
    const template = makeTemplate(random, { depth, mode: random.float() < 0.5 ? 'secure' : 'native', strangeness: 0 });
    if (!UNSURE.test(template)) return { template, record };
  }
}

interface Found {
  readonly template: string;
  readonly record: string;
  readonly group: string;
}

/** The shortest template found on which we differ in the same way. */
async function shortest({ template, record, group }: Found, jinja: Jinja): Promise<string> {
  const differs = async (text: string): Promise<boolean> => {
    const verdict = compare(ownAnswer(text, record), await jinja.render(text, record));
    return 'group' in verdict && verdict.group === group;
  };
  return await shorten(template, differs);
}
