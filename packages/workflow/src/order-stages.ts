import { knownNames } from '@data-designer/core';
import { invalidWorkflow } from './invalid-workflow.ts';
import type { GivenInput } from './inputs/input-kind.ts';
import { inputsIn } from './inputs/stage-inputs.ts';
import type { DeclaredStage, Stage } from './stage.ts';

/**
 * Sorts stages so that each follows those that it reads; otherwise they stay in the order of declaration. Throws
 * `workflow/invalid`.
 */
export function orderStages(workflow: string, declared: readonly DeclaredStage[]): readonly Stage[] {
  const left = declared.map((stage, index) => ({ ...stage, dependsOn: inputsOf(stage, declared[index - 1]) }));
  for (const stage of left) checkInputs(workflow, stage, declared);
  const ordered: Stage[] = [];
  const done = new Set<string>();
  while (left.length > 0) {
    const next = left.findIndex(({ dependsOn }) => dependsOn.every((name) => done.has(name)));
    const [stage] = left.splice(next, next < 0 ? 0 : 1);
    if (!stage) throw invalidWorkflow({ workflow }, `the stages ${cycleIn(left)} depend on each other`);
    const index = ordered.length;
    ordered.push({ ...stage, index, folder: `stage-${index}-${stage.name}` });
    done.add(stage.name);
  }
  return ordered;
}

/** The stages that a stage reads. */
function inputsOf({ options: { from } }: DeclaredStage, previous: DeclaredStage | undefined): readonly string[] {
  if (from === undefined) return previous ? [previous.name] : [];
  return typeof from === 'string' ? [from] : from;
}

type StageWithInputs = DeclaredStage & Pick<Stage, 'dependsOn'>;

function checkInputs(workflow: string, stage: StageWithInputs, declared: readonly DeclaredStage[]): void {
  const { name, dependsOn, options } = stage;
  const fail = (reason: string) => invalidWorkflow({ workflow, stage: name }, reason);
  if (declared.filter((one) => one.name === name).length > 1) throw fail('another stage has this name');
  const names = declared.flatMap((one) => (one.name === name ? [] : [one.name]));
  const unknown = dependsOn.find((one) => one !== name && !names.includes(one));
  if (unknown !== undefined) throw fail(`from names no stage '${unknown}'. ${knownNames(unknown, names)}`);
  const twice = dependsOn.find((one, index) => dependsOn.indexOf(one) < index);
  if (twice !== undefined) throw fail(`from names the stage '${twice}' twice`);
  checkKinds(
    inputsIn(options),
    dependsOn.flatMap((one) => declared.find(({ name: is }) => is === one) ?? []),
    fail,
  );
  const mapping = (['outputFormat', 'allowEmpty'] as const).find((key) => options[key] !== undefined && !options.map);
  if (mapping) throw fail(`${mapping} needs map`);
}

/** Checks the ways in which the input of a stage is made against the stages that it reads. */
function checkKinds(
  kinds: readonly GivenInput[],
  reads: readonly DeclaredStage[],
  fail: (reason: string) => Error,
): void {
  if (reads.length > 1 && !kinds.some(({ joins }) => joins))
    throw fail("it reads several stages and needs join: a column to join them by, or 'position'");
  for (const [at, kind] of kinds.entries()) {
    const reason = kind.check(reads);
    if (reason !== undefined) throw fail(reason);
    if (reads.length === 0) throw fail(`it has ${kind.name} and no input`);
    const other = kinds.slice(0, at).find(({ step }) => step === kind.step);
    if (other) throw fail(`it has both ${other.name} and ${kind.name}`);
  }
}

/** The names of stages that depend on each other, from the first of them back to it. */
function cycleIn(stages: readonly StageWithInputs[]): string {
  const byName = new Map(stages.map((stage) => [stage.name, stage]));
  const path: string[] = [];
  let at = stages[0];
  while (at && !path.includes(at.name)) {
    path.push(at.name);
    at = at.dependsOn.map((name) => byName.get(name)).find((stage) => stage !== undefined);
  }
  const first = at?.name ?? '';
  return [...path.slice(path.indexOf(first)), first].map((name) => `'${name}'`).join(' → ');
}
