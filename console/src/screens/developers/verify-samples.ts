/** How a server verifies a webhook; docs/guides/webhooks.md has more languages. */
export const nodeSample = `import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { verifyWebhook } from 'manilla'

createServer(async (request, response) => {
  try {
    const body = await text(request)
    const event = await verifyWebhook(body, request.headers, process.env.WEBHOOK_SECRET)
    console.log(event.type, event.data)
    response.end()
  } catch {
    response.writeHead(400).end()
  }
}).listen(3000)`

export const pythonSample = `import os
from flask import Flask, request
from standardwebhooks import Webhook

app = Flask(__name__)

@app.post("/webhooks")
def receive():
    webhook = Webhook(os.environ["WEBHOOK_SECRET"])
    event = webhook.verify(request.get_data(), dict(request.headers))
    print(event["type"], event["data"])
    return "", 204`
