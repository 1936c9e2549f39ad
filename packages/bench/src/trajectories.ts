import { FINDING_KINDS, findingsOf, readMessages, readTools } from '@data-designer/trajectory';
import { type BenchRow } from './spine.ts';
import { TOOLS, writeTrajectory, type WrittenTrajectory } from './trajectories/clean-trajectories.ts';
import { type PlantedTrajectory, plantFaults } from './trajectories/planted-faults.ts';

const CLEAN = 5_000;
const FAULTS_PER_KIND = 100;

const tools = readTools(TOOLS);

/** What the checks of conversations find, and what they find without reason, and their speed on one core. */
export async function trajectories(): Promise<readonly BenchRow[]> {
  const clean = cleanTrajectories(CLEAN);
  const faults = plantFaults(FAULTS_PER_KIND);
  const kinds = FINDING_KINDS.map((kind) => ({ kind, faults: faults.filter((fault) => fault.kind === kind) }));
  const all = { kind: 'all kinds', faults };
  return [
    ...[...kinds, all].map(({ kind, faults: planted }) => ({
      what: `planted faults, ${kind}`,
      figures: { planted: planted.length, 'share found': foundShare(planted) },
    })),
    {
      what: 'correct conversations',
      figures: { written: CLEAN, '% with a finding': (100 * falseAlarms(clean).length) / CLEAN },
    },
    ...[true, false].map((hasLanguage) => speed(clean, hasLanguage)),
  ];
}

/** Correct conversations. */
export function cleanTrajectories(count: number): readonly WrittenTrajectory[] {
  return Array.from({ length: count }, (_, seed) => writeTrajectory(seed));
}

function check({ messages, language }: WrittenTrajectory) {
  return findingsOf(readMessages(messages) ?? [], { tools, language });
}

/** The share of planted faults that are found at their message. */
function foundShare(planted: readonly PlantedTrajectory[]): number {
  return planted.filter(isFound).length / planted.length;
}

/** Whether the fault of a conversation is found at its message. */
export function isFound(planted: PlantedTrajectory): boolean {
  return check(planted).some(({ kind, message }) => kind === planted.kind && message === planted.at);
}

/** The findings in each correct conversation that has one. */
export function falseAlarms(clean: readonly WrittenTrajectory[]) {
  return clean.map(check).filter((findings) => findings.length > 0);
}

function speed(clean: readonly WrittenTrajectory[], hasLanguage: boolean): BenchRow {
  const rounds = 4;
  const before = process.cpuUsage();
  for (let round = 0; round < rounds; round++) {
    for (const { messages, language } of clean) {
      findingsOf(readMessages(messages) ?? [], { tools, language: hasLanguage ? language : undefined });
    }
  }
  const { user, system } = process.cpuUsage(before);
  const messages = clean.reduce((sum, one) => sum + one.messages.length, 0) / clean.length;
  const perSecond = (rounds * clean.length) / ((user + system) / 1e6);
  const what = `checks ${hasLanguage ? 'with' : 'without'} a language`;
  return { what, figures: { 'conversations per CPU second': perSecond, 'messages each': messages } };
}
