<?php

declare(strict_types=1);

namespace Manilla\Tests;

use Manilla\Enum\CollectionStatus;
use Manilla\Model\Balance;
use Manilla\Model\BalanceEntry;
use Manilla\Model\BalanceReport;
use Manilla\Model\VirtualAccount;
use Manilla\Model\WebhookEvent;
use Manilla\UnknownModel;
use PHPUnit\Framework\TestCase;

final class ModelTest extends TestCase
{
    public function testKeepsWhatItDoesNotKnow(): void
    {
        $text = '{"asset":"GHS","available":1,"held":"0.10","pending":0,"limits":{"daily":[]},"huge":92233720368547758070}';
        $balance = new Balance(json_decode($text, flags: JSON_BIGINT_AS_STRING));
        self::assertSame('GHS', $balance->asset);
        self::assertSame([1, '0.10', null], [$balance->available, $balance->held, $balance->owed]);
        self::assertSame([], $balance->raw()->limits->daily);
        self::assertSame('92233720368547758070', $balance->raw()->huge);
        self::assertSame(str_replace('92233720368547758070', '"92233720368547758070"', $text), json_encode($balance));
    }

    public function testReadsObjectsWithinObjects(): void
    {
        $json = ['counterparty' => ['name' => 'Ada', 'bankName' => null], 'released' => null];
        $entry = new BalanceEntry(json_decode(json_encode($json)));
        self::assertSame(['Ada', null], [$entry->counterparty->name, $entry->counterparty->bankName]);
        self::assertNull($entry->released);
        $buckets = ['buckets' => [['closing' => 5], ['closing' => '0.5']]];
        $report = new BalanceReport(json_decode(json_encode($buckets)));
        self::assertSame([5, '0.5'], array_map(fn ($bucket) => $bucket->closing, $report->buckets));
        self::assertSame($buckets, json_decode(json_encode($report), associative: true));
    }

    public function testAFieldThatIsNotSentIsNotSet(): void
    {
        $account = new VirtualAccount((object) ['status' => CollectionStatus::PAID]);
        self::assertTrue(isset($account->status));
        self::assertFalse(isset($account->reference));
        self::assertSame('{"status":"PAID"}', json_encode($account));
    }

    public function testCannotBeChanged(): void
    {
        $balance = new Balance((object) ['available' => 5]);
        $this->expectExceptionMessage('Cannot modify readonly property');
        $balance->available = 6;
    }

    public function testDumpsShowFieldsOnce(): void
    {
        self::assertSame(1, substr_count(print_r(new Balance((object) ['asset' => 'NGN']), true), 'NGN'));
    }

    public function testAnEventHasTheDataOfItsType(): void
    {
        $known = new WebhookEvent(json_decode('{"type":"virtual_account.paid","data":{"reference":"va_1"}}'));
        self::assertInstanceOf(VirtualAccount::class, $known->data);
        self::assertSame('va_1', $known->data->reference);
        $new = new WebhookEvent(json_decode('{"type":"loan.granted","data":{"amount":5}}'));
        self::assertInstanceOf(UnknownModel::class, $new->data);
        self::assertSame(5, $new->data->raw()->amount);
        self::assertFalse(isset((new WebhookEvent(json_decode('{"type":"loan.granted"}')))->data));
    }
}
