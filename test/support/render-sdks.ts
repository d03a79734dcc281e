import { readScenarios } from '../sdks/conformance/scenarios.js'
import { sdks } from '../sdks/drivers.js'
import { fillBlock } from './render-docs.js'

/** docs/guides/sdks.md, with the number of scenarios by group and language. */
export function renderSdks(page: string): string {
  const scenarios = readScenarios()
  const languages = sdks.map(({ language }) => language)
  const groups = [...new Set(scenarios.map(({ group }) => group))]
  const count = (among: typeof scenarios, language: string) => {
    const passed = among.filter(({ notFor }) => !notFor[language]).length
    return passed === among.length ? `${passed}` : `${passed} of ${among.length}`
  }
  const toRow = (name: string, among: typeof scenarios) =>
    `| ${[name, ...languages.map((language) => count(among, language))].join(' | ')} |`
  const exceptions = scenarios.flatMap(({ id, notFor }) =>
    Object.entries(notFor).map(([language, why]) => `- \`${id}\` not in ${language}: ${why}`),
  )
  return fillBlock(page, 'conformance', [
    `| scenarios | ${languages.join(' | ')} |`,
    `|---|${'---|'.repeat(languages.length)}`,
    ...groups.map((group) =>
      toRow(
        group,
        scenarios.filter((one) => one.group === group),
      ),
    ),
    toRow('all', scenarios),
    '',
    ...exceptions,
  ])
}
