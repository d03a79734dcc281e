import { execFileSync } from 'node:child_process'

/**
 * Code is cold for its first 16,000 requests. The quick run does not wait that long: its figures
 * show the order of magnitude.
 */
const presets = {
  full: {
    rounds: 3,
    seconds: 5,
    warmRequests: 16_000,
    warmRequestsPlain: 500,
    isPlainMeasured: true,
    isSplitIntoSteps: true,
  },
  quick: { rounds: 1, seconds: 2, warmRequests: 2_000, isPlainMeasured: false },
  guard: { rounds: 3, seconds: 2, warmRequests: 16_000, isPlainMeasured: false },
}

export function readOptions(presetName, env = process.env) {
  const preset = presets[presetName]
  const selected = env.BENCH_ONLY?.split(',')
  return {
    ...preset,
    preset: presetName,
    rounds: Number(env.BENCH_ROUNDS ?? preset.rounds),
    seconds: Number(env.BENCH_SECONDS ?? preset.seconds),
    warmRequests: Number(env.BENCH_WARM ?? preset.warmRequests),
    pastRows: Number(env.BENCH_PAST ?? 0),
    connections: 128,
    nodes: [process.execPath, ...(env.BENCH_NODE ? [env.BENCH_NODE] : [])].map((file) => ({
      file,
      version: execFileSync(file, ['--version']).toString().trim(),
    })),
    isComplete: !selected,
    isSelected: ({ key, group }) => !selected || selected.includes(key) || selected.includes(group),
  }
}
