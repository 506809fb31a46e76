import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse, stringify } from 'yaml';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { temporaryFolder, write } from '../support/temporaryFolder.ts';
import { requireTool } from '../support/testTools.ts';

type Rules = { groups: [{ name: string; rules: Array<{ alert: string }> }] };

const FILE = path.join(PROJECT_ROOT, 'deploy/alerts.yml');
export const RULES: Rules = parse(readFileSync(FILE, 'utf8'));

/** Series with a value a minute, in promtool's notation: `0+1x9` grows by one nine times. */
export type Series = Record<string, string>;

export const inputSeries = (series: Series) =>
  Object.entries(series).map(([name, values]) => ({ series: name, values }));

/** @param about - the alerts that are evaluated, all by default; each costs time */
export function runRuleTests(tests: object[], about?: RegExp): [number | null, string] {
  const [{ name, rules }] = RULES.groups;
  const evaluated = rules.filter(({ alert }) => about?.test(alert));
  const folder = temporaryFolder({ 'alerts.yml': stringify({ groups: [{ name, rules: evaluated }] }) });
  const content = {
    rule_files: [about === undefined ? FILE : 'alerts.yml'],
    evaluation_interval: '1m',
    tests: tests.map((each) => ({ interval: '1m', ...each })),
  };
  write(folder, 'tests.yml', stringify(content));
  const file = path.join(folder, 'tests.yml');
  const { status, stdout, stderr } = spawnSync(requireTool('promtool'), ['test', 'rules', file], {
    encoding: 'utf8',
  });
  return [status, stdout + stderr];
}

const HOURS = 2;

/**
 * Returns the alerts about what scripts write for Prometheus that fire after two hours of these values, in order.
 * @param now - the time of the machine, in seconds
 */
export function alertsOfScripts(values: Map<string, number>, now: number): string[] {
  // The clock of promtool starts in 1970.
  const series = Object.fromEntries(
    [...values].map(([name, value]) => [name, `${value - now + HOURS * 3_600}x${HOURS * 60}`]),
  );
  const firing = {
    expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
    eval_time: `${HOURS}h`,
    exp_samples: [],
  };
  const [, said] = runRuleTests(
    [{ input_series: inputSeries(series), promql_expr_test: [firing] }],
    /^Audio(Backup|Certificate)/,
  );
  const names = [...said.matchAll(/alertname="(\w+)"/g)].map(([, name = '']) => name);
  return [...new Set(names)].sort();
}
