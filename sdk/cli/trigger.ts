import type { Command } from 'commander'
import type { EventType, WebhookEvent } from '../src/manilla.js'
import { type Output, type Run, setTestAction } from './action.js'
import { coinScenarios } from './coin-scenarios.js'
import { type Failure, misused } from './failure.js'
import { isLocal } from './listen.js'
import { nairaScenarios } from './naira-scenarios.js'
import { findNearest } from './nearest.js'
import {
  changeDestination,
  disableEndpoint,
  makeBalanceLow,
  testEndpoint,
} from './notification-scenarios.js'
import { type Scenario, ScenarioContext } from './scenario-context.js'
import type { Terminal } from './terminal.js'

type Trigger = (context: ScenarioContext) => Promise<WebhookEvent>

/** One trigger for every event type; a missing one does not compile. */
export const triggers: Record<EventType, Trigger> = {
  ...waitForEach({ ...nairaScenarios, ...coinScenarios }),
  'settlement_destination.changed': changeDestination,
  'balance.low': makeBalanceLow,
  'webhook_endpoint.disabled': disableEndpoint,
  'webhook_endpoint.test': testEndpoint,
}

function waitForEach<Type extends EventType>(
  scenarios: Record<Type, Scenario>,
): Record<Type, Trigger> {
  const rows = Object.entries(scenarios) as [Type, Scenario][]
  const entries = rows.map(([type, run]): [Type, Trigger] => [
    type,
    async (context) => context.waitFor(type, await run(context)),
  ])
  return Object.fromEntries(entries) as Record<Type, Trigger>
}

export function registerTrigger(program: Command, terminal: Terminal): void {
  const names = Object.keys(triggers)
  const trigger = program
    .command('trigger')
    .description('trigger a real event in test mode: test money moves and webhooks are sent')
    .argument('<event>', 'event type, such as virtual_account.paid')
    .addHelpText('after', `\nEvents:\n${names.map((name) => `  ${name}`).join('\n')}`)
  setTestAction(trigger, terminal, triggerEvent)
}

async function triggerEvent({ terminal, manilla, access, args }: Run<object>): Promise<Output> {
  const type = args[0] as EventType
  const trigger = triggers[type]
  if (!Object.hasOwn(triggers, type)) throw unknownEvent(type)
  const context = new ScenarioContext({
    manilla,
    isLocal: isLocal(access.baseUrl),
    stop: terminal.stop(),
  })
  const progress = terminal.startProgress(`Triggering ${type}`)
  const event = await trigger(context).finally(progress.end)
  return { data: event, text: `${event.type}  ${event.id}\n  manilla events get ${event.id}` }
}

function unknownEvent(type: string): Failure {
  const names = Object.keys(triggers)
  const word = type.toLowerCase()
  const similar = findNearest(word, names)
  const found = similar.length > 0 ? similar : findRelated(word, names)
  const hint =
    found.length > 0
      ? `Did you mean ${found.join(', ')}?`
      : 'Run `manilla trigger --help` for the list.'
  return misused(`Unknown event type ${type}.`, hint)
}

/** Events of the same resource, or with the same last word. */
function findRelated(type: string, names: string[]): string[] {
  const [group = '', word = group] = type.split(/\.(?=[^.]*$)/)
  return names.filter(
    (name) => name.startsWith(`${group}.`) || (word !== '' && name.endsWith(`.${word}`)),
  )
}
