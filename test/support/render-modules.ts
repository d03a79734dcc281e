import { floors } from './modules.js'

const width = 920
const rowHeight = 58
const gap = 10
const margin = 20

const styles = `text{font-family:system-ui,sans-serif;fill:#1c1b18}
.ground{fill:#faf7f1}.module{fill:#fff;stroke:#e7e0d2;stroke-width:1.5}
.name{font-size:16px;font-weight:600}.does{font-size:12px;fill:#6b665c}
@media (prefers-color-scheme:dark){text{fill:#f3eee3}.ground{fill:#14130f}
.module{fill:#1e1c17;stroke:#37332a}.does{fill:#a79f8f}}`

/** The modules as a picture: one row a floor, the processes on top. */
export function renderModules(): string {
  const height = 2 * margin + floors.length * (rowHeight + gap) - gap
  const rows = floors.toReversed().map((modules, row) => {
    const y = margin + row * (rowHeight + gap)
    const each = (width - 2 * margin - (modules.length - 1) * gap) / modules.length
    return modules.map(({ name, does }, column) => {
      const x = margin + column * (each + gap)
      const middle = x + each / 2
      return `<rect class="module" x="${x}" y="${y}" width="${each}" height="${rowHeight}" rx="8"/>
<text class="name" x="${middle}" y="${y + 25}" text-anchor="middle">${name}</text>
<text class="does" x="${middle}" y="${y + 44}" text-anchor="middle">${does}</text>`
    })
  })
  const label = 'Modules on floors; a module imports only from the floors below it'
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">
<style>
${styles}
</style>
<rect class="ground" width="${width}" height="${height}" rx="14"/>
${rows.flat().join('\n')}
</svg>
`
}
