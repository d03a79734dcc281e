import Type from 'typebox'
import { limits } from '../../base/limits.js'
import type { Invitation } from '../../team/invitations.js'
import type { ApiParts } from '../api-parts.js'
import { type Html, html } from '../checkout-page/html.js'
import { type Document, type Route, route } from '../edge/route.js'
import { findJoin, type Join, join, linkEnded } from './join.js'
import { refuseForeignForm } from './own-pages-only.js'
import { renderField, renderProblem } from './page.js'
import {
  answerShown,
  findSignedIn,
  formFields,
  type Problem,
  pageBase,
  problemOf,
  redirect,
  type Shown,
  secondFactorPath,
  signInPath,
  textOf,
  welcomeTo,
  withNext,
} from './sign-in-pages.js'
import { type Visit, visitOf } from './visit.js'

const path = '/console/join/:token'
const params = Type.Object({ token: Type.String() })

/** Links of invitations and for new passwords. Reading one uses nothing up: previews read it. */
export function joinPages(api: ApiParts): Route[] {
  return [
    route({
      ...pageBase,
      method: 'GET',
      path,
      operation: 'showInvitation',
      summary: 'Show an invitation',
      description: 'Or the form for a new password.',
      params,
      query: Type.Object({}),
      async handle(request) {
        const { token } = request.params
        const visit = visitOf(api, request)
        return answerJoin(visit, token, await find(api, visit, token))
      },
    }),
    route({
      ...pageBase,
      method: 'POST',
      path,
      takesForm: true,
      operation: 'acceptInvitation',
      summary: 'Accept an invitation',
      description: 'From the page itself only. Uses the link up.',
      params,
      body: formFields,
      async handle(request) {
        refuseForeignForm(api, request)
        const { token } = request.params
        const { body } = request
        const visit = visitOf(api, request)
        const found = await find(api, visit, token)
        if (!found) return answerJoin(visit, token, undefined)
        const given = { name: textOf(body, 'name'), password: textOf(body, 'password') }
        try {
          const session = await join(api, visit, { to: found, given })
          if (session !== undefined)
            return welcomeTo(visit, session, withNext(secondFactorPath, '/console'))
          return redirect(found.kind === 'reset' ? signInPath : '/console')
        } catch (error) {
          const problem = problemOf(error)
          return answerJoin(visit, token, found, { ...problem, name: given.name })
        }
      },
    }),
  ]
}

async function find(api: ApiParts, visit: Visit, token: string): Promise<Join | undefined> {
  const signedIn = await findSignedIn(api, visit)
  return findJoin(api, visit, { token, signedIn })
}

function answerJoin(
  visit: Visit,
  token: string,
  found: Join | undefined,
  problem?: Problem & { name: string },
): Promise<Document> {
  const shown = found ? renderJoin(found, token, problem) : renderEnded()
  return answerShown(visit.headers, shown)
}

function renderEnded(): Shown {
  const main = html`<h1>This link does not work</h1><p>${linkEnded().message}</p>
    <p class="soft">Ask the person who sent it for a new one.</p>
    <a class="button" href="${signInPath}">Sign in</a>`
  return { status: 404, title: 'Link ended', main }
}

function renderJoin(found: Join, token: string, problem?: Problem & { name: string }): Shown {
  const { invitation } = found
  const status = problem?.status ?? 200
  const title = found.kind === 'reset' ? 'Set a new password' : `Join ${targetOf(invitation)}`
  const rest =
    found.kind === 'existing' ? renderAccept(found, token) : renderForm(found, token, problem?.name)
  const main = html`<h1>${title}</h1>${describe(found)}${renderProblem(problem?.message)}
    ${rest}`
  return { status, title, main }
}

function targetOf({ purpose, merchantName }: Invitation): string {
  return purpose.kind === 'operator' ? 'the operators' : (merchantName ?? '')
}

function describe({ kind, invitation }: Join): Html {
  const { purpose, email } = invitation
  if (kind === 'reset') return html`<p class="soft">for ${email}. It signs you out everywhere.</p>`
  if (purpose.kind !== 'member') return html`<p class="soft">as ${email}, an operator.</p>`
  const modes = purpose.maySeeLive ? 'in test and live mode' : 'in test mode'
  return html`<p class="soft">as ${email}, with the role ${purpose.role}, ${modes}.</p>`
}

function renderForm(found: Join, token: string, name: string | undefined): Html {
  const { passwordLengthMin } = limits.signIn
  const isNew = found.kind === 'new'
  return html`<form method="post" action="/console/join/${token}">
    ${
      isNew &&
      renderField({
        name: 'name',
        label: 'Your name',
        autocomplete: 'name',
        ...(name !== undefined && { value: name }),
      })
    }
    <input type="hidden" name="email" autocomplete="username" value="${found.invitation.email}">
    ${renderField({
      name: 'password',
      label: isNew ? 'Choose a password' : 'New password',
      type: 'password',
      autocomplete: 'new-password',
      minlength: passwordLengthMin,
      hint: `At least ${passwordLengthMin} characters. Four words that do not belong together are good.`,
    })}
    <button class="button strong">${isNew ? 'Join' : 'Set password'}</button></form>`
}

/** Another user may be signed in, so the link asks for the password of the invited person. */
function renderAccept({ isSignedIn, user }: Join & { kind: 'existing' }, token: string): Html {
  if (isSignedIn)
    return html`<form method="post" action="/console/join/${token}"><input type="hidden"
      name="join" value="yes"><button class="button strong">Join</button></form>`
  const next = withNext(signInPath, `/console/join/${token}`)
  return html`<p>You have an account already. Sign in as ${user.email} to join; your password stays
    the same.</p><a class="button strong" href="${next}&amp;switch=1">Sign in</a>`
}
