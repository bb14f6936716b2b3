-- Note in the ledger what a turn is about to deliver, or has.
--
-- KEYS  1 state  2 ledger HASH part number -> JSON
-- ARGV  1 fence  2 part number  3 part as JSON  4 ttl
-- Returns 1, or 0 if the lease is lost
local state, ledger = unpack(KEYS)
local fence, number, part, ttl = unpack(ARGV)

if not owns(state, fence) then return 0 end
redis.call('HSET', ledger, number, part)
redis.call('EXPIRE', ledger, ttl)
return 1
