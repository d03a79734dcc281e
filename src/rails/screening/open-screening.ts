import type { Clock } from '../../base/clock.js'
import type { ScreeningConfig } from '../../base/config.js'
import type { Logger } from '../../base/log.js'
import type { Screening, ScreeningVerdict } from '../../screening/ports.js'
import { createScreeningHook } from './http-hook.js'
import { openListFile } from './list-file.js'

type OpenDependencies = { clock: Clock; logger: Logger; timeoutMs?: number }

/** Undefined: nothing is configured, and nothing is screened. */
export async function openScreening(
  { listFile, provider }: Pick<ScreeningConfig, 'listFile' | 'provider'>,
  dependencies: OpenDependencies,
): Promise<Screening | undefined> {
  if (listFile === undefined && provider === undefined) return undefined
  const list = listFile === undefined ? undefined : await openListFile(listFile, dependencies)
  const ask = provider && createScreeningHook(provider, dependencies)
  return {
    asksProvider: ask !== undefined,
    screenNow(subject) {
      const onFile = list?.match(subject)
      if (onFile?.verdict === 'hit') return onFile
      return ask || !onFile ? { verdict: 'unknown', why: 'the provider was not queried' } : onFile
    },
    async screen(subjects) {
      const onFile = subjects.map((subject) => list?.match(subject))
      if (!ask) return onFile as ScreeningVerdict[]
      // A hit on the file is enough: the provider need not learn the name.
      const open = subjects.filter((_, index) => onFile[index]?.verdict !== 'hit')
      const answers = (await ask(open)).values()
      return onFile.map((found): ScreeningVerdict => {
        if (found?.verdict === 'hit') return found
        const answer = answers.next().value!
        return found?.verdict === 'clear' && answer.verdict === 'clear'
          ? joinClear(found, answer)
          : answer
      })
    },
    state: () => ({
      list: list?.state() ?? null,
      provider: provider === undefined ? null : new URL(provider.url).host,
    }),
    refresh: async () => list?.refresh(),
    stop: () => list?.stop(),
  }
}

type Clear = Extract<ScreeningVerdict, { verdict: 'clear' }>

function joinClear(one: Clear, other: Clear): Clear {
  return {
    verdict: 'clear',
    list: `${one.list} + ${other.list}`,
    version: `${one.version} + ${other.version}`,
  }
}
