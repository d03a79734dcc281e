/**
 * Draws a CPU profile as a flame graph: callers above, what they call below, as wide as the
 * processor time they take. Frames under 0.2 % are left out.
 *
 *   node bench/flame.mjs <profile.cpuprofile> <graph.svg> [title]
 *
 * LIVES_PROFILES makes `npm run bench` keep the profiles.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const width = 1_200
const rowHeight = 18
const top = 72
const shareMin = 0.002
const characterWidth = 6.2
const textWidthMin = 26
/** Manilla's colours. The first pattern that matches the module of a frame decides. */
const kinds = [
  { title: 'Node', pattern: /^(node:|$)/, fill: '#e7e0d2', ink: '#1c1b18' },
  { title: 'packages', pattern: /node_modules\//, fill: '#f3d9a4', ink: '#1c1b18' },
  { title: 'PostgreSQL client', pattern: /^postgres\//, fill: '#15703f', ink: '#ffffff' },
  {
    title: 'payouts, ledger, events',
    pattern: /^(payouts|ledger|events|idempotency)\//,
    fill: '#8a5a12',
    ink: '#ffffff',
  },
  { title: 'other parts of Manilla', pattern: /./, fill: '#b7791f', ink: '#ffffff' },
]

export function drawFlame(profile, title) {
  const root = mergeFrames(profile)
  const depth = deepest(root)
  const height = top + depth * rowHeight + 12
  const perLife = profile.lives ? `${Math.round(root.us / profile.lives)} µs of Node per life` : ''
  const frames = []
  const draw = (frame, x, level) => {
    let childX = x
    for (const child of shown(root, frame)) {
      frames.push(rectangle(child, { x: childX, y: top + level * rowHeight, root }))
      draw(child, childX, level + 1)
      childX += (child.us / root.us) * width
    }
  }
  draw(root, 0, 0)
  const legend = kinds.map(({ title, fill }, index) => {
    const x = 12 + index * 190
    return `<rect x="${x}" y="42" width="12" height="12" fill="${fill}"/><text x="${x + 18}" y="52" fill="#1c1b18">${title}</text>`
  })
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="11">`,
    '<rect width="100%" height="100%" fill="#faf7f1"/>',
    `<text x="12" y="24" font-size="15" fill="#1c1b18">${escapeXml([title, perLife].filter(Boolean).join(': '))}</text>`,
    ...legend,
    ...frames,
    '</svg>',
  ].join('\n')}\n`
}

/** One frame per function and caller, with its processor time. Idle time and the profiler are left out. */
function mergeFrames({ nodes, samples, timeDeltas }) {
  const own = new Map()
  for (const [index, id] of samples.entries()) own.set(id, (own.get(id) ?? 0) + timeDeltas[index])
  const nodesById = new Map(nodes.map((node) => [node.id, node]))
  const merge = (frame, node) => {
    let us = own.get(node.id) ?? 0
    for (const id of node.children ?? []) {
      const child = nodesById.get(id)
      const { functionName, url } = child.callFrame
      if (functionName === '(idle)' || url === 'node:inspector') continue
      const key = `${functionName} ${url}`
      if (!frame.children.has(key)) frame.children.set(key, newFrame(functionName, url))
      us += merge(frame.children.get(key), child)
    }
    frame.us += us
    return us
  }
  const root = newFrame('', '')
  merge(root, nodes[0])
  return root
}

function newFrame(name, module) {
  return { name: name || '(anonymous)', module, us: 0, children: new Map() }
}

function shown(root, frame) {
  return [...frame.children.values()]
    .filter(({ us }) => us / root.us >= shareMin)
    .toSorted((left, right) => right.us - left.us)
}

function deepest(root, frame = root) {
  return Math.max(0, ...shown(root, frame).map((child) => 1 + deepest(root, child)))
}

function rectangle({ name, module, us }, { x, y, root }) {
  const { fill, ink } = kinds.find(({ pattern }) => pattern.test(module))
  const frameWidth = (us / root.us) * width
  const words = `${name} ${module}`
  const fitting = Math.floor((frameWidth - 6) / characterWidth)
  const label =
    frameWidth < textWidthMin
      ? ''
      : `<text x="${(x + 3).toFixed(1)}" y="${y + 12}" fill="${ink}">${escapeXml(clip(words, fitting))}</text>`
  const share = ((100 * us) / root.us).toFixed(1)
  return `<g><title>${escapeXml(words)}: ${share} %</title><rect x="${x.toFixed(1)}" y="${y}" width="${Math.max(0.5, frameWidth - 0.5).toFixed(1)}" height="${rowHeight - 1}" fill="${fill}"/>${label}</g>`
}

function clip(words, length) {
  return words.length <= length ? words : `${words.slice(0, Math.max(1, length - 1))}…`
}

function escapeXml(words) {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [, , input, output, title = path.basename(input, '.cpuprofile')] = process.argv
  writeFileSync(output, drawFlame(JSON.parse(readFileSync(input, 'utf8')), title))
  console.log(`Written to ${output}`)
}
