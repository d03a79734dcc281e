<?php

declare(strict_types=1);

/** Takes money through a service, as test/sdks/README.md says: `php sdks/php/journey.php`. */

use Manilla\Enum\EventType;
use Manilla\Error\WebhookError;
use Manilla\Manilla;
use Manilla\Model\WebhookEvent;
use Manilla\Webhook;

require __DIR__ . '/autoload.php';

const WAIT_MAX_MS = 20_000;

$manilla = new Manilla(getenv('MANILLA_KEY'), baseUrl: (string) getenv('MANILLA_URL'));
$name = 'journey-' . getenv('JOURNEY');
$beganMs = nowMs();

function nowMs(): int
{
    return intdiv(hrtime(true), 1_000_000);
}

function report(string $step, string|int $detail = ''): void
{
    global $beganMs;
    echo trim(sprintf('%s %d ms %s', $step, nowMs() - $beganMs, $detail)), "\n";
    $beganMs = nowMs();
}

/**
 * @template T
 * @param Closure(): (T|null|false) $find
 * @return T
 */
function until(string $what, Closure $find): mixed
{
    $deadlineMs = nowMs() + WAIT_MAX_MS;
    while (!($found = $find())) {
        if (nowMs() > $deadlineMs) {
            throw new RuntimeException("No $what within 20 seconds.");
        }
        usleep(100_000);
    }
    return $found;
}

/**
 * Answers one webhook, if one has arrived.
 *
 * @param resource $server
 */
function receive($server, string $secret): ?WebhookEvent
{
    $connection = @stream_socket_accept($server, 0);
    if ($connection === false) {
        return null;
    }
    fgets($connection);
    $headers = [];
    while (($line = trim((string) fgets($connection))) !== '') {
        [$header, $value] = explode(':', $line, 2);
        $headers[$header] = trim($value);
    }
    $body = stream_get_contents($connection, (int) array_change_key_case($headers)['content-length']);
    $event = null;
    try {
        $event = Webhook::verify($body, $headers, $secret);
    } catch (WebhookError $error) {
        fwrite(STDERR, "$error->problem: {$error->getMessage()}\n");
    }
    $status = $event ? '200 OK' : '400 Bad Request';
    fwrite($connection, "HTTP/1.1 $status\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    fclose($connection);
    return $event;
}

/** @param resource $server */
function travel(Manilla $manilla, string $name, $server, string $secret): void
{
    $account = $manilla->virtualAccounts->create(merchantReference: $name, amount: 500_000);
    report('account', $account->reference);

    $manilla->test->bankTransfers->create(accountNumber: $account->accountNumber, amount: 500_000);
    report('pay');

    $event = until('webhook', function () use ($server, $secret, $account) {
        $event = receive($server, $secret);
        $isOurs = $event?->type === EventType::VIRTUAL_ACCOUNT_PAID && $event->data->reference === $account->reference;
        return $isOurs ? $event : null;
    });
    report('webhook', $event->id);

    [$payment] = $manilla->payments->list(accountReference: $account->reference)->page()->items;
    $manilla->payments->refund($payment->reference, amount: 200_000);
    until('refund', function () use ($manilla, $payment) {
        $statuses = array_column($manilla->payments->returns($payment->reference)->page()->items, 'status');
        return array_intersect($statuses, ['SENT', 'RETURNED']);
    });
    report('refund', $payment->reference);

    $payout = $manilla->bankTransfers->create(
        amount: 250_000,
        bankCode: '058',
        accountNumber: '0123456789',
        merchantReference: "$name-payout",
    );
    until('completed payout', fn () => $manilla->bankTransfers->get($payout->reference)->status === 'COMPLETED');
    report('payout', $payout->reference);

    $item = fn (string $bankCode, string $accountNumber, int $number) => [
        'amount' => 100_000,
        'bankCode' => $bankCode,
        'accountNumber' => $accountNumber,
        'merchantReference' => "$name-salary-$number",
    ];
    $batch = $manilla->batches->create(
        kind: 'bank_transfer',
        items: [$item('058', '0123456789', 1), $item('044', '0123456797', 2)],
    );
    until('READY batch', fn () => $manilla->batches->get($batch->reference)->status === 'READY');
    $manilla->batches->submit($batch->reference);
    until('COMPLETED batch', fn () => $manilla->batches->get($batch->reference)->status === 'COMPLETED');
    report('batch', $batch->reference);

    $quote = $manilla->conversions->quote(from: 'NGN', to: 'USDC', amount: 1_000_000);
    $conversion = $manilla->conversions->create(quote: $quote->reference);
    report('conversion', $conversion->reference);

    $found = 0;
    foreach ($manilla->bankTransfers->list(limit: 2) as $transfer) {
        $found += str_starts_with($transfer->merchantReference ?? '', "$name-") ? 1 : 0;
    }
    if ($found !== 3) {
        throw new RuntimeException("There are $found payouts, not 3.");
    }
    report('list', $found);
}

$server = stream_socket_server('tcp://127.0.0.1:0');
$url = 'http://' . stream_socket_get_name($server, false);
$endpoint = $manilla->webhookEndpoints->create(url: $url);
try {
    report('listen', $url);
    travel($manilla, $name, $server, $endpoint->secret);
} finally {
    $manilla->webhookEndpoints->delete($endpoint->id);
}
