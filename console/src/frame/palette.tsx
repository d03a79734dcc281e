import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { SearchHit } from '../../../sdk/src/types'
import { call } from '../api/call'
import { useScope, writeScope } from '../api/scope'
import { useMay, useMembership, usePermissions } from '../api/session'
import { useStore } from '../api/store'
import { useColorScheme } from '../parts/color-scheme'
import { CommandList } from '../parts/command-list'
import type { IconName } from '../parts/icons'
import { splitPath } from '../parts/split-path'
import { Status } from '../parts/status'
import { useSettled } from '../parts/use-settled'
import { settingsPages } from '../screens/settings/settings-pages'
import { settingTexts } from '../screens/settings/texts'
import { useIsOperatorArea, useMenu } from './menu'
import { openedPanel, paletteQuery } from './panels'
import { iconOfHit, pathOfHit, pathOfReference, statefulOf, subtitleOf } from './paths-of'
import { useRecent } from './recent'
import { frameTexts } from './texts'

const words = frameTexts.palette

type Command = {
  name: string
  icon: IconName
  /** Other words that find it. */
  alsoCalled?: string
  keys?: string
  /** Listed only once something is typed, so that the list of commands stays short. */
  isFoundOnly?: boolean
  run: () => void
}

/** Search and commands: Ctrl K. A pasted reference opens at once. */
export function Palette() {
  const query = useStore(paletteQuery)
  const navigate = useNavigate()
  const close = () => {
    openedPanel.write(null)
    paletteQuery.write('')
  }
  const open = (path: string) => {
    close()
    void navigate(splitPath(path))
  }
  const { hits, isSearching } = useHits(query)
  const commands = useCommands(open, close).filter((command) => fits(command, query))
  const opened = useRecent()
  const recent = query === '' ? opened : []
  const groups = [
    {
      label: words.recent,
      actions: recent.map(({ path, title }) => ({
        key: path,
        label: title,
        icon: 'clock' as const,
        run: () => open(path),
      })),
    },
    {
      label: words.results,
      actions: hits.map((hit) => ({
        key: `${hit.kind} ${hit.reference}`,
        label: hit.title,
        description: subtitleOf(hit),
        icon: iconOfHit(hit),
        after: hit.status && <Status of={statefulOf(hit)} value={hit.status} />,
        run: () => open(pathOfHit(hit)),
      })),
    },
    {
      label: words.commands,
      actions: commands.map(({ name, icon, keys, run }) => ({
        key: name,
        label: name,
        icon,
        after: keys && <kbd>{keys}</kbd>,
        run,
      })),
    },
  ]
  return (
    <CommandList
      label={words.title}
      placeholder={words.placeholder}
      query={query}
      onQueryChange={paletteQuery.write}
      onPaste={(pasted) => {
        const path = pathOfReference(pasted)
        if (path) open(path)
        return path !== undefined
      }}
      onClose={close}
      groups={groups}
      empty={isSearching ? words.searching : words.nothing}
      hint={
        <>
          {words.hint} <span className="mono">{words.hintExample}</span>
        </>
      }
    />
  )
}

const typingMs = 150
const queryLengthMin = 2

function useHits(query: string): { hits: SearchHit[]; isSearching: boolean } {
  const scope = useScope()
  const isOperatorArea = useIsOperatorArea()
  const q = useSettled(query.trim(), typingMs)
  const { data, isFetching } = useQuery({
    queryKey: [scope.merchant, scope.mode, 'search', q],
    enabled: q.length >= queryLengthMin && scope.merchant !== null && !isOperatorArea,
    queryFn: ({ signal }) => call<{ items: SearchHit[] }>('/v1/search', { query: { q }, signal }),
  })
  return {
    hits: query === '' ? [] : (data?.items ?? []),
    isSearching: isFetching || q !== query.trim(),
  }
}

function useCommands(open: (path: string) => void, close: () => void): Command[] {
  const menu = useMenu()
  const mayPay = useMay('payouts.create')
  const mayCollect = useMay('collect.create')
  const mayInvite = useMay('team.change')
  const mayFreeze = useMay('payouts.freeze')
  const permissions = usePermissions()
  const membership = useMembership()
  const { setColorScheme } = useColorScheme()
  const { merchant, mode } = useScope()
  const isOperatorArea = useIsOperatorArea()
  const other = mode === 'test' ? 'live' : 'test'
  const commands: Command[] = []
  if (mayPay && !isOperatorArea)
    commands.push({
      name: frameTexts.newPayout,
      icon: 'payOut',
      keys: 'c',
      run: () => open('/payouts/new'),
    })
  if (mayCollect && !isOperatorArea)
    commands.push({
      name: frameTexts.newLink,
      icon: 'link',
      run: () => open('/collect?new=link'),
    })
  if (mayPay && permissions.has('balances.see') && !isOperatorArea)
    commands.push({
      name: frameTexts.settleNow,
      icon: 'bank',
      isFoundOnly: true,
      run: () => open('/settlements?new=settlement'),
    })
  if (mayFreeze && !isOperatorArea)
    commands.push({
      name: words.freeze,
      icon: 'snow',
      alsoCalled: words.alsoCalled.freeze,
      isFoundOnly: true,
      run: () => open('/payouts/freezes?new=freeze'),
    })
  if (permissions.has('payouts.see') && !isOperatorArea)
    commands.push({
      name: words.goTo(words.freezes),
      icon: 'snow',
      isFoundOnly: true,
      run: () => open('/payouts/freezes'),
    })
  if (permissions.has('cases.change') && !isOperatorArea)
    commands.push({
      name: words.newCase,
      icon: 'scale',
      alsoCalled: words.alsoCalled.newCase,
      isFoundOnly: true,
      run: () => open('/cases?new=case'),
    })
  if (mayInvite && !isOperatorArea)
    commands.push({
      name: words.invite,
      icon: 'users',
      alsoCalled: words.alsoCalled.invite,
      run: () => open('/team?new=invitation'),
    })
  for (const { path, menu: entry } of menu)
    commands.push({
      name: words.goTo(entry.label),
      icon: entry.icon,
      ...(entry.goKey && { keys: `g ${entry.goKey}` }),
      run: () => open(path),
    })
  if (membership?.maySeeLive && !isOperatorArea)
    commands.push({
      name: words.switchMode(other),
      icon: 'redo',
      run() {
        close()
        writeScope({ merchant, mode: other })
      },
    })
  for (const { path, label, permission } of isOperatorArea ? [] : settingsPages)
    if (permissions.has(permission))
      commands.push({
        name: words.goTo(`${settingTexts.title}: ${label}`),
        icon: 'gear',
        isFoundOnly: true,
        run: () => open(path),
      })
  for (const scheme of ['light', 'dark', 'auto'] as const)
    commands.push({
      name: words.theme(frameTexts.themes[scheme]),
      icon: 'gear',
      isFoundOnly: true,
      run() {
        close()
        setColorScheme(scheme)
      },
    })
  return commands
}

function fits({ name, alsoCalled = '', isFoundOnly = false }: Command, query: string): boolean {
  const typed = query.trim().toLowerCase()
  if (typed === '') return !isFoundOnly
  return `${name} ${alsoCalled}`.toLowerCase().includes(typed)
}
