import { checkOptions, optionRule, type OptionRules } from '@data-designer/config';
import { knownNames } from '@data-designer/core';
import { refuseUselessRetry, rulesOf, stopRules } from '@data-designer/declaration';
import type { WorkflowParts } from './check-workflow.ts';
import { invalidWorkflow } from './invalid-workflow.ts';
import { checkOverride } from './stage-output.ts';
import type { Stage, WorkflowRunOptions } from './stage.ts';

const RUN_RULES: OptionRules<WorkflowRunOptions> = { ...rulesOf('run'), ...stopRules, onEvent: optionRule.callback };

/** The stages of a run. */
export interface PlannedWorkflow {
  /** The stages to make or reuse, in order. */
  readonly wanted: readonly Stage[];
  readonly finalStage: string;
  /** The stages to make again although they have not changed. */
  readonly forced: ReadonlySet<string>;
  readonly overrides: ReadonlyMap<string, string>;
}

/** Checks the options of a run against the stages. Throws `config/invalid` and `workflow/invalid`. */
export function planWorkflow({ name: workflow, stages }: WorkflowParts, options: WorkflowRunOptions): PlannedWorkflow {
  checkOptions(options, RUN_RULES, 'run()');
  refuseUselessRetry(options, 'run()');
  const { targets, rerunFrom, overrides = {}, resume = 'never' } = options;
  const find = (stage: string, option: string): Stage => {
    const found = stages.find((one) => one.name === stage);
    if (found) return found;
    const known = stages.map((one) => one.name);
    throw invalidWorkflow({ workflow }, `${option} names no stage '${stage}'. ${knownNames(stage, known)}`);
  };
  if (stages.length === 0) throw invalidWorkflow({ workflow }, 'it has no stages');
  const all = stages.map((stage) => stage.name);
  const named = targets === undefined ? all : typeof targets === 'string' ? [targets] : targets;
  if (named.length === 0) throw invalidWorkflow({ workflow }, 'targets is empty');
  const wanted = withAncestors(
    named.map((stage) => find(stage, 'targets')),
    stages,
  );
  const within = (stage: Stage, option: string): void => {
    if (!wanted.includes(stage))
      throw invalidWorkflow({ workflow }, `${option} names the stage '${stage.name}', which the targets do not need`);
  };
  if (rerunFrom !== undefined) {
    within(find(rerunFrom, 'rerunFrom'), 'rerunFrom');
    if (resume === 'never')
      throw invalidWorkflow(
        { workflow },
        "rerunFrom needs resume: 'if_possible' or 'always', as 'never' makes all stages",
      );
  }
  for (const [stage, file] of Object.entries(overrides)) {
    within(find(stage, 'overrides'), 'overrides');
    checkOverride(file, { workflow, stage });
  }
  return {
    wanted,
    finalStage: wanted.findLast((stage) => named.includes(stage.name))?.name ?? '',
    forced: rerunFrom === undefined ? new Set() : withFollowers(rerunFrom, stages),
    overrides: new Map(Object.entries(overrides)),
  };
}

/** Stages and those that they need, in order. */
function withAncestors(targets: readonly Stage[], stages: readonly Stage[]): readonly Stage[] {
  const needed = new Set<string>();
  for (const stage of stages.toReversed()) {
    if (!needed.has(stage.name) && !targets.includes(stage)) continue;
    needed.add(stage.name);
    for (const before of stage.dependsOn) needed.add(before);
  }
  return stages.filter(({ name }) => needed.has(name));
}

/** A stage and all that depend on it. */
function withFollowers(first: string, stages: readonly Stage[]): ReadonlySet<string> {
  const followers = new Set([first]);
  for (const { name, dependsOn } of stages) if (dependsOn.some((before) => followers.has(before))) followers.add(name);
  return followers;
}
