import { parseJson, stringifyJson } from '@data-designer/core';
import type { Difference, OracleReport } from './ask-template.ts';

/** Examples that are shown of each kind of difference. */
const SHOWN = 8;

/** A summary with the share of equal ones, and the differences by kind, the most frequent first. */
export function printReport({ counts, differences, ruled }: OracleReport): string {
  const { equal, failed, otherwise, ruled: refused, different } = counts;
  const all = equal + failed + otherwise + refused + different;
  const share = (count: number): string => `${count} (${((100 * count) / Math.max(1, all)).toFixed(1)} %)`;
  return [
    `${all} templates: equal ${share(equal + failed)}, of which ${equal} print and ${failed} fail on both sides; ` +
      `fail on both sides for reasons of their own ${share(otherwise)}; refused by design ${share(refused)}; different ${share(different)}`,
    ...Array.from(ruled, ([group, count]) => `  refused by design, ${count} x: ${group}`).toSorted(),
    ...groups(differences).flatMap(([group, members]) => ['', `${members.length} x ${group}`, ...examples(members)]),
  ].join('\n');
}

function groups(differences: readonly Difference[]): [string, readonly Difference[]][] {
  const byGroup = Map.groupBy(differences, ({ group }) => group);
  return [...byGroup].toSorted(([, a], [, b]) => b.length - a.length);
}

/** The shortest example for each set of words, since what differs by the same words has mostly one cause. */
function examples(members: readonly Difference[]): string[] {
  const shortest = members.toSorted((a, b) => a.template.length - b.template.length);
  const byTopic = [...Map.groupBy(shortest, ({ template }) => topicOf(template))];
  const shown = byTopic
    .slice(0, SHOWN)
    .flatMap(([topic, same]) => [
      ` ${same.length} x with ${topic || 'no filter, method or test'}`,
      ...same.slice(0, 1).flatMap(printDifference),
    ]);
  return byTopic.length > SHOWN ? [...shown, ` and ${byTopic.length - SHOWN} more`] : shown;
}

/** The filters, methods, tests and statements of a template. */
function topicOf(template: string): string {
  const words = template.matchAll(/\|\s*(\w+)|(\.\w+\()|(loop\.\w+)|\bis (?:not )?(\w+)|(namespace|autoescape)/g);
  const found = Array.from(words, (match) => match.slice(1).find((word) => word !== undefined) ?? '');
  return [...new Set(found)].toSorted((a, b) => a.localeCompare(b)).join(' ');
}

function printDifference({ number, template, record, own, jinja }: Difference): string[] {
  const cells = parseJson(record) as Readonly<Record<string, unknown>>;
  const used = Object.entries(cells).filter(([name]) => new RegExp(`\\b${name}\\b`).test(template));
  return [
    `  case ${number}: ${JSON.stringify(template.slice(0, 300))}`,
    `    record ${stringifyJson(Object.fromEntries(used)).slice(0, 400)}`,
    `    ours   ${stringifyJson(own).slice(0, 300)}`,
    `    Jinja2 ${stringifyJson(jinja).slice(0, 300)}`,
  ];
}
