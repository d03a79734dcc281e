import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parse } from 'yaml'
import { root } from './doc-pages.js'

const read = (name: string) => readFileSync(path.join(root, 'deploy', name), 'utf8')

export type AlertRule = {
  alert: string
  expr: string
  for?: string
  labels: { severity: string }
  annotations: { summary: string }
}

export function readAlerts(): AlertRule[] {
  const { groups } = parse(read('prometheus-alerts.yml')) as { groups: { rules: AlertRule[] }[] }
  return groups.flatMap(({ rules }) => rules)
}

export type Panel = {
  id: number
  type: string
  title: string
  gridPos: { x: number; y: number; w: number; h: number }
  targets?: { expr: string }[]
}

export function readPanels(): Panel[] {
  return (JSON.parse(read('grafana-dashboard.json')) as { panels: Panel[] }).panels
}

/** Metrics that alerts and dashboard name, without those of Prometheus and of other exporters. */
export function listNamedMetrics(): string[] {
  const expressions = [
    ...readAlerts().map(({ expr }) => expr),
    ...readPanels().flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  ]
  const names = expressions.flatMap((expr) => expr.match(/\bmanilla_\w+/g) ?? [])
  return [...new Set(names)].toSorted()
}
