import { useNavigate } from '@tanstack/react-router'
import { call } from '../api/call'
import { useColorScheme } from '../parts/color-scheme'
import { Menu, MenuChoice, MenuDivider, MenuItem, MenuLabel } from '../parts/menu'
import { initialsOf } from '../parts/person'
import { texts } from '../texts/en'
import { openedPanel } from './panels'

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
          aria-label={texts.frame.you}
        >
          {initialsOf(name)}
        </button>
      }
    >
      <MenuLabel>{name}</MenuLabel>
      <MenuItem icon="gear" onClick={() => void navigate({ to: '/you' })}>
        {texts.frame.you}
      </MenuItem>
      <MenuItem icon="code" after={<kbd>?</kbd>} onClick={() => openedPanel.write('keys')}>
        {texts.frame.keys}
      </MenuItem>
      <MenuDivider />
      <MenuLabel>{texts.frame.theme}</MenuLabel>
      <MenuChoice options={texts.frame.themes} value={colorScheme} onChange={setColorScheme} />
      <MenuDivider />
      <MenuItem icon="signOut" onClick={() => void signOut()}>
        {texts.frame.signOut}
      </MenuItem>
    </Menu>
  )
}

export async function signOut(): Promise<void> {
  await call('/console/session', { method: 'DELETE' })
  window.location.assign('/console/sign-in')
}
