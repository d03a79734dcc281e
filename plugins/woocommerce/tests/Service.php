<?php

declare(strict_types=1);

namespace Manilla\WooCommerce\Tests;

use Manilla\Http\Request;
use Manilla\Http\Response;
use Manilla\Http\Transport;
use Manilla\Http\TransportFailure;

/** The part of Manilla that the plug-in calls, in memory: sessions, refunds and webhook endpoints. */
final class Service implements Transport
{
    public array $sessions = [];
    public array $refunds = [];
    public array $endpoints = [];
    private int $endpointCount = 0;
    /** @var list<string> */
    public array $requests = [];
    /** Statuses of refusals to answer next, or 0 to lose the answer after the work is done. */
    public array $troubles = [];
    private array $answers = [];

    public function send(Request $request): Response
    {
        $path = (string) parse_url($request->url, PHP_URL_PATH);
        $this->requests[] = "$request->method $path";
        $trouble = array_shift($this->troubles);
        $key = $request->headers['idempotency-key'] ?? null;
        if ($trouble !== null && $trouble !== 0) {
            $no = ['code' => 'some_code', 'message' => "Refused with $trouble.", 'nextStep' => 'Do this.'];
            $refusal = self::answer($trouble, $no);
            // These answers are remembered with the key.
            if (in_array($trouble, [402, 409, 422], true)) {
                $this->answers[$key] = $refusal;
            }
            return $refusal;
        }
        $response = $this->answers[$key] ?? $this->run($request->method, $path, json_decode($request->body ?? 'null', true));
        if ($key !== null) {
            $this->answers[$key] = $response;
        }
        return $trouble === 0 ? throw new TransportFailure('Connection reset by peer') : $response;
    }

    /** The customer pays a session. */
    public function pay(string $reference, string $payment): void
    {
        $this->sessions[$reference]['status'] = 'paid';
        $this->sessions[$reference]['amountAccepted'] = $this->sessions[$reference]['amount'];
        $this->sessions[$reference]['payments'] = [
            ['reference' => 'pay_returned', 'status' => 'RETURNED'],
            ['reference' => $payment, 'status' => 'ACCEPTED'],
        ];
    }

    private function run(string $method, string $path, ?array $body): Response
    {
        if ("$method $path" === 'POST /v1/checkout/sessions') {
            $reference = 'cs_' . count($this->sessions) + 1;
            $this->sessions[$reference] = [
                'reference' => $reference,
                'status' => 'pending',
                'url' => "https://pay.example.com/checkout/$reference",
                'payments' => [],
                'amountAccepted' => 0,
                ...$body,
            ];
            return self::answer(201, ['data' => $this->sessions[$reference]]);
        }
        if (preg_match('~^/v1/checkout/sessions/(\w+)(/cancel)?$~', $path, $parts)) {
            if (!isset($this->sessions[$parts[1]])) {
                return self::answer(404, ['code' => 'not_found', 'message' => 'No session with this reference exists.']);
            }
            if (isset($parts[2])) {
                $this->sessions[$parts[1]]['status'] = 'cancelled';
            }
            return self::answer(200, ['data' => $this->sessions[$parts[1]]]);
        }
        if (preg_match('~^/v1/collections/payments/(\w+)/refund$~', $path, $parts)) {
            $this->refunds[] = ['reference' => 'rf_' . count($this->refunds) + 1, 'status' => 'SENT', 'currency' => 'NGN', ...$body];
            return self::answer(200, ['data' => ['reference' => $parts[1]]]);
        }
        if (preg_match('~^/v1/collections/payments/\w+/returns$~', $path)) {
            return self::answer(200, ['data' => ['items' => $this->refunds, 'nextCursor' => null]]);
        }
        if ("$method $path" === 'GET /v1/webhook-endpoints') {
            return self::answer(200, ['data' => ['items' => array_values($this->endpoints), 'nextCursor' => null]]);
        }
        if ($method === 'DELETE' && preg_match('~^/v1/webhook-endpoints/(\w+)$~', $path, $parts)) {
            unset($this->endpoints[$parts[1]]);
            return self::answer(200, ['data' => null]);
        }
        if ("$method $path" === 'POST /v1/webhook-endpoints') {
            $id = 'we_' . ++$this->endpointCount;
            $this->endpoints[$id] = ['id' => $id, ...$body];
            return self::answer(201, ['data' => ['id' => $id, 'secret' => 'whsec_' . base64_encode(str_repeat('s', 32))]]);
        }
        throw new \LogicException("$method $path");
    }

    private static function answer(int $status, array $envelope): Response
    {
        return new Response($status, [], json_encode($envelope));
    }
}
