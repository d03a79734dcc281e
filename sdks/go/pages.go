package manilla

import "context"

// Page is one page of a list, newest first.
type Page[T any] struct {
	Items []T `json:"items"`
	// NextCursor is the start of the next page; nil on the last.
	NextCursor *string `json:"nextCursor"`
}

// Iterator is a list that is fetched as you read it:
//
//	payments := client.Payments.List(nil)
//	for payments.Next(ctx) {
//		fmt.Println(payments.Item().Reference)
//	}
//	if err := payments.Err(); err != nil {
//		return err
//	}
//
// An Iterator belongs to one goroutine.
type Iterator[T any] struct {
	fetch  func(ctx context.Context, cursor *string) (*Page[T], error)
	page   *Page[T]
	cursor *string
	index  int
	err    error
}

// Next moves to the next item and fetches its page if necessary. It returns false at the end, or if a
// page could not be fetched: see Err.
func (it *Iterator[T]) Next(ctx context.Context) bool {
	if it.err != nil {
		return false
	}
	it.index++
	for it.page == nil || it.index >= len(it.page.Items) {
		if it.page != nil && isLast(it.page, it.cursor) {
			return false
		}
		if it.page != nil {
			it.cursor = it.page.NextCursor
		}
		page, err := it.fetch(ctx, it.cursor)
		if err != nil {
			it.err = err
			return false
		}
		it.page, it.index = page, 0
	}
	return true
}

// A repeated cursor would loop forever.
func isLast[T any](page *Page[T], cursor *string) bool {
	return page.NextCursor == nil || (cursor != nil && *cursor == *page.NextCursor)
}

// Item returns the item that Next moved to.
func (it *Iterator[T]) Item() *T { return &it.page.Items[it.index] }

// Err returns the error that ended the list, or nil.
func (it *Iterator[T]) Err() error { return it.err }

// All is for range loops of Go 1.23: for payment, err := range client.Payments.List(nil).All(ctx)
func (it *Iterator[T]) All(ctx context.Context) func(yield func(*T, error) bool) {
	return func(yield func(*T, error) bool) {
		for it.Next(ctx) {
			if !yield(it.Item(), nil) {
				return
			}
		}
		if it.err != nil {
			yield(nil, it.err)
		}
	}
}

// Page fetches one page: the one at the Cursor of the query, or the first. Next is not affected.
func (it *Iterator[T]) Page(ctx context.Context) (*Page[T], error) { return it.fetch(ctx, nil) }

func listPages[T any](connection *connection, call call, options []Option) *Iterator[T] {
	return &Iterator[T]{index: -1, fetch: func(ctx context.Context, cursor *string) (*Page[T], error) {
		call.cursor = cursor
		return fetchItem[Page[T]](ctx, connection, call, options)
	}}
}
