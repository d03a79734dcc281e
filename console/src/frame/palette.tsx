import '@mantine/spotlight/styles.css'
import { useMantineColorScheme } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { Spotlight } from '@mantine/spotlight'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { KeyboardEvent } from 'react'
import type { SearchHit } from '../../../sdk/src/types'
import { call } from '../api/call'
import { useScope, writeScope } from '../api/scope'
import { useMay, useMembership, usePermissions } from '../api/session'
import { useStore } from '../api/store'
import { Icon, type IconName } from '../parts/icons'
import { Tile } from '../parts/page'
import { splitPath } from '../parts/split-path'
import { Status } from '../parts/status'
import { formatWhen } from '../parts/time-format'
import { settingsPages } from '../screens/settings/settings-pages'
import { texts } from '../texts/en'
import { useIsOperatorArea, useMenu } from './menu'
import { openedPanel, paletteQuery } from './panels'
import { iconOfHit, pathOfHit, pathOfReference, statefulOf } from './paths-of'
import { useRecent } from './recent'

const words = texts.frame.palette

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
  const hasNothing = hits.length + commands.length + recent.length === 0

  return (
    <Spotlight.Root
      forceOpened
      shortcut={null}
      query={query}
      onQueryChange={paletteQuery.write}
      onSpotlightClose={close}
      onClick={(event) => {
        // The backdrop closes it; Spotlight's own handler follows its store, not ours.
        if ((event.target as Element).className.includes?.('inner')) close()
      }}
      title={undefined}
      attributes={{ content: { 'aria-label': words.title } }}
      scrollable
      maxHeight={420}
      radius={16}
      overlayProps={{ blur: 0, backgroundOpacity: 0.5 }}
    >
      <Spotlight.Search
        placeholder={words.placeholder}
        aria-label={words.title}
        leftSection={<Icon name="search" />}
        rightSection={<kbd>Esc</kbd>}
        onKeyDown={(event) => {
          if (event.key === 'Escape') close()
          if (event.key === 'Enter') openFirst(event)
        }}
        onPaste={(event) => {
          const path = pathOfReference(event.clipboardData.getData('text').trim())
          if (!path) return
          event.preventDefault()
          open(path)
        }}
      />
      <Spotlight.ActionsList {...scrolledByKeys}>
        {recent.length > 0 && (
          <Spotlight.ActionsGroup label={words.recent}>
            {recent.map(({ path, title }) => (
              <Spotlight.Action
                key={path}
                label={title}
                leftSection={<Tile icon="clock" />}
                onClick={() => open(path)}
              />
            ))}
          </Spotlight.ActionsGroup>
        )}
        {hits.length > 0 && (
          <Spotlight.ActionsGroup label={words.results}>
            {hits.map((hit) => (
              <Spotlight.Action
                key={`${hit.kind} ${hit.reference}`}
                label={hit.title}
                description={hit.subtitle.replace(isoTime, (iso) => formatWhen(iso))}
                leftSection={<Tile icon={iconOfHit(hit)} />}
                rightSection={hit.status && <Status of={statefulOf(hit)} value={hit.status} />}
                onClick={() => open(pathOfHit(hit))}
              />
            ))}
          </Spotlight.ActionsGroup>
        )}
        {commands.length > 0 && (
          <Spotlight.ActionsGroup label={words.commands}>
            {commands.map(({ name, icon, keys, run }) => (
              <Spotlight.Action
                key={name}
                label={name}
                leftSection={<Tile icon={icon} />}
                rightSection={keys && <kbd>{keys}</kbd>}
                onClick={run}
              />
            ))}
          </Spotlight.ActionsGroup>
        )}
        {hasNothing && (
          <Spotlight.Empty>{isSearching ? words.searching : words.nothing}</Spotlight.Empty>
        )}
      </Spotlight.ActionsList>
      <Spotlight.Footer className="desktop-only">
        <span className="soft small">
          {words.hint} <span className="mono">{words.hintExample}</span>
        </span>
      </Spotlight.Footer>
    </Spotlight.Root>
  )
}

/** The list passes this to its scroll area, which its types do not name. */
const scrolledByKeys = { viewportProps: { tabIndex: 0 } } as object

const isoTime = /\d{4}-\d\d-\d\dT[\d:.]+Z/g

/** Enter opens the first line unless the arrow keys have chosen another. */
function openFirst(event: KeyboardEvent): void {
  const list = event.currentTarget.closest('[role=dialog]') ?? document
  if (list.querySelector('[data-action][data-selected]')) return
  event.preventDefault()
  list.querySelector<HTMLElement>('[data-action]')?.click()
}

const typingMs = 150
const queryLengthMin = 2

function useHits(query: string): { hits: SearchHit[]; isSearching: boolean } {
  const scope = useScope()
  const isOperatorArea = useIsOperatorArea()
  const [q] = useDebouncedValue(query.trim(), typingMs)
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
  const permissions = usePermissions()
  const membership = useMembership()
  const { setColorScheme } = useMantineColorScheme()
  const { merchant, mode } = useScope()
  const isOperatorArea = useIsOperatorArea()
  const other = mode === 'test' ? 'live' : 'test'
  const commands: Command[] = []
  if (mayPay && !isOperatorArea)
    commands.push({
      name: texts.frame.newPayout,
      icon: 'payOut',
      keys: 'c',
      run: () => open('/payouts/new'),
    })
  if (mayCollect && !isOperatorArea)
    commands.push({
      name: texts.frame.newLink,
      icon: 'link',
      run: () => open('/collect?new=link'),
    })
  if (mayPay && permissions.has('balances.see') && !isOperatorArea)
    commands.push({
      name: texts.frame.settleNow,
      icon: 'bank',
      isFoundOnly: true,
      run: () => open('/settlements?new=settlement'),
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
        name: words.goTo(`${texts.settings.title}: ${label}`),
        icon: 'gear',
        isFoundOnly: true,
        run: () => open(path),
      })
  for (const scheme of ['light', 'dark', 'auto'] as const)
    commands.push({
      name: words.theme(texts.frame.themes[scheme]),
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
