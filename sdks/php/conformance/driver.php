<?php

declare(strict_types=1);

/**
 * Makes the calls of the conformance suite: one JSON object per line from standard input, one per line to
 * standard output. test/sdks/conformance/README.md describes both.
 */

use Manilla\Error\ManillaError;
use Manilla\Error\WebhookError;
use Manilla\Internal\Retries;
use Manilla\Manilla;
use Manilla\Page;
use Manilla\Pages;
use Manilla\RequestOptions;
use Manilla\Testing\SignedWebhook;
use Manilla\Webhook;

require __DIR__ . '/../autoload.php';

/** Arguments of a method: objects of JSON are arrays in PHP. Inner ones stay objects, as `{}` is not `[]`. */
function toArguments(?stdClass $fields): array
{
    return array_map(
        fn (mixed $value) => $value instanceof stdClass ? (array) $value : $value,
        get_object_vars($fields ?? new stdClass()),
    );
}

function clientOf(stdClass $request): Manilla
{
    return new Manilla($request->key, baseUrl: $request->baseUrl);
}

function call(stdClass $request): mixed
{
    $options = $request->options ?? new stdClass();
    Retries::$firstWaitMs = $options->firstWaitMs ?? 500;
    $resource = clientOf($request);
    foreach (explode('.', $request->resource) as $name) {
        $resource = $resource->{$name};
    }
    $arguments = [
        ...array_values(toArguments($request->path ?? null)),
        ...toArguments($request->query ?? null),
        ...toArguments($request->body ?? null),
    ];
    $method = $request->operation;
    if (isset($request->csv)) {
        $method .= 'FromCsv';
        $arguments['csv'] = $request->csv;
    }
    $arguments['options'] = new RequestOptions(
        idempotencyKey: $options->idempotencyKey ?? null,
        timeoutMs: $options->timeoutMs ?? null,
        maxRetries: $options->maxRetries ?? null,
    );
    return $resource->{$method}(...$arguments);
}

/** What a method returned, as JSON. */
function toValue(mixed $answer): mixed
{
    if ($answer instanceof Generator) {
        return implode('', iterator_to_array($answer));
    }
    // The only files that come as one text.
    return is_string($answer) ? base64_encode($answer) : $answer;
}

/** @return array<string, mixed> */
function readItems(Pages $pages, int $limit): array
{
    $items = [];
    try {
        foreach ($pages as $item) {
            $items[] = $item;
            if (count($items) === $limit) {
                break;
            }
        }
    } catch (ManillaError $error) {
        return ['items' => $items, 'error' => describe($error)];
    }
    return ['items' => $items];
}

/** @return array<string, mixed> */
function run(stdClass $request): array
{
    return match ($request->kind ?? 'call') {
        'call' => ['value' => toValue(call($request))],
        'list' => readItems(call($request), $request->limitItems ?? PHP_INT_MAX),
        'page' => ['page' => toPage(call($request)->page())],
        'client' => ['value' => clientOf($request) instanceof Manilla ? 'created' : null],
        'print' => ['printed' => print_r(clientOf($request), true)],
        'webhook' => ['event' => verify($request)],
        'sign' => ['headers' => SignedWebhook::sign(
            $request->body,
            $request->secret,
            $request->nowMs,
            $request->webhookId ?? null,
        )->headers],
    };
}

/** @return array<string, mixed> */
function toPage(Page $page): array
{
    return ['items' => $page->items, 'nextCursor' => $page->nextCursor];
}

function verify(stdClass $request): object
{
    $body = match (true) {
        isset($request->bodyBase64) => base64_decode($request->bodyBase64),
        isset($request->parsed) => (array) $request->parsed,
        default => $request->body ?? null,
    };
    $headers = get_object_vars($request->headers);
    $toleranceMs = $request->toleranceMs ?? 300_000;
    return Webhook::verify($body, $headers, $request->secret, $toleranceMs, $request->nowMs ?? null);
}

/** @return array<string, mixed> */
function describe(Throwable $error): array
{
    if ($error instanceof ManillaError) {
        return [
            'type' => (new ReflectionClass($error))->getShortName(),
            'code' => $error->errorCode,
            'reason' => $error->reason,
            'status' => $error->status,
            'message' => $error->getMessage(),
            'nextStep' => $error->nextStep,
            'requestId' => $error->requestId,
            'details' => $error->details,
            'idempotencyKey' => $error->idempotencyKey,
            'retryAfterMs' => $error->retryAfterMs,
        ];
    }
    if ($error instanceof WebhookError) {
        return ['type' => 'WebhookError', 'problem' => $error->problem, 'message' => $error->getMessage()];
    }
    if ($error instanceof InvalidArgumentException || $error instanceof TypeError) {
        return ['type' => 'InvalidArgument', 'message' => $error->getMessage()];
    }
    throw $error;
}

while (($line = fgets(STDIN)) !== false) {
    $request = json_decode($line, flags: JSON_THROW_ON_ERROR);
    try {
        $result = run($request);
    } catch (Throwable $error) {
        try {
            $result = ['error' => describe($error)];
        } catch (Throwable $crash) {
            $result = ['crash' => (string) $crash];
        }
    }
    $flags = JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_PRESERVE_ZERO_FRACTION;
    fwrite(STDOUT, json_encode(['id' => $request->id, ...$result], $flags) . "\n");
}
