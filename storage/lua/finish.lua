-- End a turn that was answered: the session remembers it. States: session.lua.
--
-- KEYS  1 ready  2 state  3 inbox  4 items  5 slots  6 capped  7 journal LIST
--       8 history LIST of messages as JSON  9 asides LIST, oldest first
-- ARGV  1 group  2 fence  3 session  4 ttl  5 asides read in this turn  6.. messages as JSON
-- Returns 1, or 0 if the lease is lost; a second time 1 again
local journal, history, asides = KEYS[7], KEYS[8], KEYS[9]
local group, fence, session, ttl, read = unpack(ARGV, 1, 5)
local at = place(KEYS, session)

if redis.call('HGET', at.state, 'done') == fence then return 1 end
if not owns(at.state, fence) then return 0 end
for i = 6, #ARGV do redis.call('RPUSH', history, ARGV[i]) end
redis.call('EXPIRE', history, ttl)
-- What fell off the front meanwhile is among those that were read.
local left = tonumber(read) - tonumber(redis.call('HGET', at.state, 'cut') or '0')
if left > 0 then redis.call('LTRIM', asides, left, -1) end
redis.call('DEL', journal)
redis.call('HINCRBY', at.state, 'turns', 1)
end_lease(at, group, fence)
next_turn(at, ttl)
return 1
