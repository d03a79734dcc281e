import { Menu, useMantineColorScheme } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { call } from '../api/call'
import { Icon } from '../parts/icons'
import { texts } from '../texts/en'
import { initialsOf } from './initials'
import { openedPanel } from './panels'

const schemes = ['auto', 'light', 'dark'] as const

export function UserMenu({ name }: { name: string }) {
  const navigate = useNavigate()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <Menu position="bottom-end" width={220} shadow="md">
      <Menu.Target>
        <button
          type="button"
          className="avatar desktop-only"
          title={name}
          aria-label={texts.frame.you}
        >
          {initialsOf(name)}
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{name}</Menu.Label>
        <Menu.Item leftSection={<Icon name="gear" />} onClick={() => void navigate({ to: '/you' })}>
          {texts.frame.you}
        </Menu.Item>
        <Menu.Item
          leftSection={<Icon name="code" />}
          rightSection={<kbd>?</kbd>}
          onClick={() => openedPanel.write('keys')}
        >
          {texts.frame.keys}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>{texts.frame.theme}</Menu.Label>
        <Menu.RadioGroup
          value={colorScheme}
          onChange={(scheme) => setColorScheme(scheme as (typeof schemes)[number])}
        >
          {schemes.map((scheme) => (
            <Menu.RadioItem key={scheme} value={scheme} checkIcon={<Icon name="check" />}>
              {texts.frame.themes[scheme]}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item leftSection={<Icon name="signOut" />} onClick={() => void signOut()}>
          {texts.frame.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

export async function signOut(): Promise<void> {
  await call('/console/session', { method: 'DELETE' })
  window.location.assign('/console/sign-in')
}
