import { useMantineColorScheme } from '@mantine/core'

/** `auto` follows the system. The browser remembers the choice. */
export function useColorScheme() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return { colorScheme, setColorScheme }
}
