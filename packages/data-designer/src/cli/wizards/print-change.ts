import { printJson } from '../display/print-results.ts';

/** What was changed in a file of the home folder, as it is told. */
export interface WizardReport {
  readonly file: string;
  readonly change: 'added' | 'updated' | 'deleted';
  readonly names: readonly string[];
  /** The tools that the providers offer, or that a tool config allows; null where nobody was asked. */
  readonly tools: readonly string[] | null;
  /** What stands elsewhere and still names what was deleted. */
  readonly stillNamedBy: readonly string[];
}

/** Tells of a change, as text or as one JSON object. */
export function printReport(report: WizardReport, { json }: { readonly json: boolean }): void {
  if (json) return printJson(report);
  const { file, change, names, tools, stillNamedBy } = report;
  if (tools) process.stdout.write(`${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}: ${tools.join(', ')}\n`);
  process.stdout.write(`${change}: ${names.join(', ')} (${file})\n`);
  for (const name of stillNamedBy) process.stderr.write(`Warning: the tool config '${name}' still names it.\n`);
}
