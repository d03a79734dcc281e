import { useNavigate } from '@tanstack/react-router'
import { call } from '../api/call'
import { useColorScheme } from '../parts/color-scheme'
import { Menu, MenuChoice, MenuDivider, MenuItem, MenuLabel } from '../parts/menu'
import { initialsOf } from '../parts/person'
import { openedPanel } from './panels'
import { frameTexts } from './texts'

export function UserMenu({ name }: { name: string }) {
  const navigate = useNavigate()
  const { colorScheme, setColorScheme } = useColorScheme()
  return (
    <Menu
      width={220}
      button={
        <button
          type="button"
          className="avatar desktop-only"
          title={name}
          aria-label={frameTexts.you}
        >
          {initialsOf(name)}
        </button>
      }
    >
      <MenuLabel>{name}</MenuLabel>
      <MenuItem icon="gear" onClick={() => void navigate({ to: '/you' })}>
        {frameTexts.you}
      </MenuItem>
      <MenuItem icon="code" after={<kbd>?</kbd>} onClick={() => openedPanel.write('keys')}>
        {frameTexts.keys}
      </MenuItem>
      <MenuDivider />
      <MenuLabel>{frameTexts.theme}</MenuLabel>
      <MenuChoice options={frameTexts.themes} value={colorScheme} onChange={setColorScheme} />
      <MenuDivider />
      <MenuItem icon="signOut" onClick={() => void signOut()}>
        {frameTexts.signOut}
      </MenuItem>
    </Menu>
  )
}

export async function signOut(): Promise<void> {
  await call('/console/session', { method: 'DELETE' })
  window.location.assign('/console/sign-in')
}
