import { Menu as MantineMenu } from '@mantine/core'
import type { ReactElement, ReactNode } from 'react'
import { Icon, type IconName } from './icons'

type MenuProps = {
  /** Opens it. */
  button: ReactElement
  /** The corner of the button that it stands at. */
  position?: 'bottom' | 'bottom-start' | 'bottom-end' | 'top-end'
  width?: number
  /** Without a shadow. */
  isFlat?: boolean
  children: ReactNode
}

export function Menu({ button, position = 'bottom-end', width, isFlat, children }: MenuProps) {
  return (
    <MantineMenu position={position} {...(width && { width })} {...(!isFlat && { shadow: 'md' })}>
      <MantineMenu.Target>{button}</MantineMenu.Target>
      <MantineMenu.Dropdown>{children}</MantineMenu.Dropdown>
    </MantineMenu>
  )
}

type ItemProps = {
  icon?: IconName
  /** In the place of an icon. */
  before?: ReactNode
  after?: ReactNode
  isDangerous?: boolean
  onClick: () => void
  children: ReactNode
}

export function MenuItem({ icon, before, after, isDangerous, onClick, children }: ItemProps) {
  return (
    <MantineMenu.Item
      leftSection={icon ? <Icon name={icon} /> : before}
      rightSection={after}
      {...(isDangerous && { color: 'red' })}
      onClick={onClick}
    >
      {children}
    </MantineMenu.Item>
  )
}

type ChoiceProps<Value extends string> = {
  options: Record<Value, string>
  value: Value
  onChange: (value: Value) => void
}

/** Items of which one is chosen. */
export function MenuChoice<Value extends string>({ options, value, onChange }: ChoiceProps<Value>) {
  return (
    <MantineMenu.RadioGroup value={value} onChange={(chosen) => onChange(chosen as Value)}>
      {Object.keys(options).map((option) => (
        <MantineMenu.RadioItem key={option} value={option} checkIcon={<Icon name="check" />}>
          {options[option as Value]}
        </MantineMenu.RadioItem>
      ))}
    </MantineMenu.RadioGroup>
  )
}

export const MenuLabel = ({ children }: { children: ReactNode }) => (
  <MantineMenu.Label>{children}</MantineMenu.Label>
)

export const MenuDivider = () => <MantineMenu.Divider />
