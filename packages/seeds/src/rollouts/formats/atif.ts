import { isMapping, type Mapping } from '@data-designer/config';
import type { ChatMessage } from '@data-designer/core';
import { jsonRecord } from './json-records.ts';
import { mainSession, mappingOf, neededMappings, neededText, textOf, textsOf } from './record-members.ts';
import { type Recording, type Rollout, RolloutFault, type RolloutFormat } from '../rollout.ts';
import { spanOfTimes } from './span-of-times.ts';
import { toMessage, toToolCall } from './to-message.ts';

/** Trajectories in the Agent Trajectory Interchange Format: one JSON object per file. */
export const atif: RolloutFormat = { read };

function read({ text }: Recording): Rollout {
  const trajectory = jsonRecord(text);
  const sessionId = neededText(trajectory, 'session_id', 'it');
  const agent = mappingOf(trajectory, 'agent');
  const steps = neededMappings(trajectory, 'steps', 'it');
  if (steps.length === 0) throw new RolloutFault('it has no steps');
  const messages = steps.flatMap((step, index) => messagesOf(step, index + 1));
  const extra = mappingOf(agent, 'extra');
  const cwd = textOf(extra, 'cwd');
  return {
    ...mainSession(sessionId),
    cwd,
    projectPath: textOf(extra, 'project_path') ?? cwd,
    gitBranch: textOf(extra, 'git_branch'),
    ...spanOfTimes(steps.map((step) => textOf(step, 'timestamp'))),
    messages,
    sourceMeta: metaOf(trajectory, agent, steps),
  };
}

const ROLES: ReadonlyMap<unknown, ChatMessage['role']> = new Map([
  ['agent', 'assistant'],
  ['user', 'user'],
  ['system', 'system'],
]);

function messagesOf(step: Mapping, number: number): ChatMessage[] {
  const where = `step ${number}`;
  if (step.step_id !== number) throw new RolloutFault(`${where} does not have the 'step_id' ${number}`);
  const role = ROLES.get(step.source);
  if (!role) throw new RolloutFault(`${where} has no source 'agent', 'user' or 'system'`);
  if (!Object.hasOwn(step, 'message')) throw new RolloutFault(`${where} has no 'message'`);
  const other = ['reasoning_content', 'tool_calls', 'observation'].find((key) => (step[key] ?? null) !== null);
  if (role !== 'assistant' && other !== undefined)
    throw new RolloutFault(`${where} has '${other}', which only a step of the agent may have`);
  const calls = neededMappings(step, 'tool_calls', where).map((call) =>
    toToolCall(neededText(call, 'tool_call_id', where), neededText(call, 'function_name', where), call.arguments),
  );
  const said = toMessage(role, step.message, { reasoning: textOf(step, 'reasoning_content'), calls });
  return [said, ...resultsOf(step, new Set(calls.map(({ id }) => id)), where)];
}

/** The results of a step's calls; results without content only refer to sessions of subagents. */
function resultsOf(step: Mapping, calls: ReadonlySet<string>, where: string): ChatMessage[] {
  return observed(step, where).flatMap((result) => {
    if ((result.content ?? null) === null) return [];
    const callId = neededText(result, 'source_call_id', `a result of ${where}`);
    if (!calls.has(callId))
      throw new RolloutFault(`a result of ${where} answers '${callId}', but the step has no such call`);
    return [toMessage('tool', result.content, { callId })];
  });
}

function observed(step: Mapping, where: string): readonly Mapping[] {
  const { observation = null } = step;
  if (observation === null) return [];
  if (!isMapping(observation)) throw new RolloutFault(`the observation of ${where} is not an object`);
  return neededMappings(observation, 'results', `the observation of ${where}`);
}

function metaOf(trajectory: Mapping, agent: Mapping, steps: readonly Mapping[]): Mapping {
  const copied = steps.flatMap((step) => (step.is_copied_context === true ? [step.step_id] : []));
  const subagents = steps.flatMap((step) =>
    observed(step, '').flatMap((result) => {
      const refs = subagentsOf(result, `a result of step ${String(step.step_id)}`);
      return refs.length === 0 ? [] : [{ step_id: step.step_id, refs }];
    }),
  );
  const kept = ['final_metrics', 'extra'].filter((key) => Object.keys(mappingOf(trajectory, key)).length > 0);
  return {
    schema_version: neededText(trajectory, 'schema_version', 'it'),
    step_count: steps.length,
    agent_name: neededText(agent, 'name', 'its agent'),
    ...textsOf(agent, ['version', 'model_name']),
    ...(copied.length === 0 ? {} : { copied_context_step_ids: copied }),
    ...(subagents.length === 0 ? {} : { subagent_trajectory_refs: subagents }),
    ...textsOf(trajectory, ['notes', 'continued_trajectory_ref']),
    ...Object.fromEntries(kept.map((key) => [key, trajectory[key]])),
  };
}

function subagentsOf(result: Mapping, where: string): Mapping[] {
  return neededMappings(result, 'subagent_trajectory_ref', where).map((ref) => {
    const extra = mappingOf(ref, 'extra');
    return {
      session_id: neededText(ref, 'session_id', where),
      ...textsOf(ref, ['trajectory_path']),
      ...(Object.keys(extra).length === 0 ? {} : { extra }),
    };
  });
}
