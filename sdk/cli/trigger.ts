import type { Command } from 'commander'
import type { EventType, WebhookEvent } from '../src/manilla.js'
import { type Answer, type Run, setTestAction } from './action.js'
import { coinScenarios } from './coin-scenarios.js'
import { type Failure, misused } from './failure.js'
import { disableEndpoint, makeBalanceLow, testEndpoint } from './house-scenarios.js'
import { isLocal } from './listen.js'
import { nairaScenarios } from './naira-scenarios.js'
import { type Scenario, Stage } from './stage.js'
import type { World } from './world.js'

type Trigger = (stage: Stage) => Promise<WebhookEvent>

/** Every event there is: what is left out does not compile. */
export const triggers: Record<EventType, Trigger> = {
  ...awaited({ ...nairaScenarios, ...coinScenarios }),
  'balance.low': makeBalanceLow,
  'webhook_endpoint.disabled': disableEndpoint,
  'webhook_endpoint.test': testEndpoint,
}

function awaited<Type extends EventType>(scenarios: Record<Type, Scenario>): Record<Type, Trigger> {
  const rows = Object.entries(scenarios) as [Type, Scenario][]
  const made = rows.map(([type, play]): [Type, Trigger] => [
    type,
    async (stage) => stage.until(type, await play(stage)),
  ])
  return Object.fromEntries(made) as Record<Type, Trigger>
}

export function registerTrigger(program: Command, world: World): void {
  const names = Object.keys(triggers)
  const trigger = program
    .command('trigger')
    .description('make an event happen in earnest, in test mode: money moves, webhooks are sent')
    .argument('<event>', 'its type, such as virtual_account.paid')
    .addHelpText('after', `\nEvents:\n${names.map((name) => `  ${name}`).join('\n')}`)
  setTestAction(trigger, world, play)
}

async function play({ world, manilla, access, args }: Run<object>): Promise<Answer> {
  const type = args[0] as EventType
  const trigger = triggers[type]
  if (!Object.hasOwn(triggers, type)) throw unknownEvent(type)
  const stage = new Stage({ manilla, isLocal: isLocal(access.baseUrl), stop: world.stop() })
  const watched = world.watch(`Making ${type} happen`)
  const event = await trigger(stage).finally(watched.end)
  return { data: event, text: `${event.type}  ${event.id}\n  manilla events get ${event.id}` }
}

function unknownEvent(type: string): Failure {
  const near = Object.keys(triggers).filter((name) => {
    const [group = '', word = ''] = type.split(/\.(?=[^.]*$)/)
    return name.startsWith(`${group}.`) || (word !== '' && name.endsWith(`.${word}`))
  })
  const said =
    near.length > 0 ? `Did you mean ${near.join(', ')}?` : '`manilla trigger --help` lists them.'
  return misused(`There is no event ${type}.`, said)
}
