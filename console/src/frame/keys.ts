import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { useMay } from '../api/session'
import { createStore } from '../api/store'
import { useMenu } from './menu'
import { openedPanel, paletteQuery } from './panels'

const storageKey = 'manilla.single-keys'

/** Whether keys without Ctrl work. Screen readers and dictation may need them switched off. */
export const singleKeys = createStore(localStorage.getItem(storageKey) !== 'off')

export function switchSingleKeys(isOn: boolean): void {
  localStorage.setItem(storageKey, isOn ? 'on' : 'off')
  singleKeys.write(isOn)
}

/** How long after `g` its second key counts. */
const sequenceMs = 1_200

/** Keys that work on every page. */
export function useKeys(): void {
  const navigate = useNavigate()
  const menu = useMenu()
  const mayPay = useMay('payouts.create')
  const goPressedAt = useRef(0)

  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        openedPanel.write(openedPanel.read() === 'palette' ? null : 'palette')
        return
      }
      const isModified = event.ctrlKey || event.metaKey || event.altKey
      if (openedPanel.read() === 'palette' && !isModified) {
        if (!isTyping(event)) typeIntoPalette(event)
        return
      }
      if (isModified || !singleKeys.read() || isTyping(event)) return
      const isAfterGo = event.timeStamp - goPressedAt.current < sequenceMs
      goPressedAt.current = 0
      const target = menu.find((entry) => entry.menu.goKey === event.key)
      if (isAfterGo && target) {
        event.preventDefault()
        void navigate({ to: target.path })
      } else if (event.key === 'g') goPressedAt.current = event.timeStamp
      else if (event.key === 'c' && mayPay) void navigate({ to: '/payouts/new' })
      else if (event.key === '?') openedPanel.write('keys')
      else if (event.key === 'j') focusRow(1)
      else if (event.key === 'k') focusRow(-1)
      else if (event.key === '/') {
        event.preventDefault()
        focusSearch()
      }
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [navigate, menu, mayPay])
}

function isTyping({ target }: KeyboardEvent): boolean {
  const element = target as HTMLElement
  const isField = element.closest?.('input,textarea,select,[contenteditable=true],[role=dialog]')
  return isField !== null && isField !== undefined
}

/** Opens the search of the list, or moves to its first filter if it has none. */
function focusSearch(): void {
  const search = document.querySelector<HTMLElement>('[data-filters] [data-search]')
  if (search) search.click()
  else document.querySelector<HTMLElement>('[data-filters] button, [data-filters] input')?.focus()
}

/** For keys that are pressed before the palette has its field. */
function typeIntoPalette(event: KeyboardEvent): void {
  if (event.key === 'Escape') {
    openedPanel.write(null)
    paletteQuery.write('')
  } else if (event.key === 'Backspace') paletteQuery.write(paletteQuery.read().slice(0, -1))
  else if (event.key.length === 1) paletteQuery.write(paletteQuery.read() + event.key)
  else return
  event.preventDefault()
}

/** Moves the focus among the links of table rows; Enter opens the focused one. */
function focusRow(step: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>('a[data-row]')]
  const at = links.indexOf(document.activeElement as HTMLElement)
  const next = at === -1 ? (step === 1 ? 0 : links.length - 1) : at + step
  links[next]?.focus()
}
