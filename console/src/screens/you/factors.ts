import { useQueryClient } from '@tanstack/react-query'
import { sessionKey } from '../../api/session'
import { useWrite } from '../../api/writes'

export type Factors = {
  hasPassword: boolean
  hasTotp: boolean
  recoveryCodes: number
  passkeys: { id: string; name: string; createdAt: string; lastUsedAt: string | null }[]
}

/** A write that changes how the person signs in: the session says so, too. */
export function useFactorWrite<Data = unknown>(method: 'POST' | 'DELETE' = 'POST') {
  const client = useQueryClient()
  const { write, ...rest } = useWrite<Data>({
    method,
    reads: ['factors', 'sessions'],
    isKeyed: false,
  })
  return {
    ...rest,
    async write(path: string, body?: unknown) {
      const data = await write(`/console/session/${path}`, body)
      if (data !== undefined) await client.invalidateQueries({ queryKey: sessionKey })
      return data
    },
  }
}
