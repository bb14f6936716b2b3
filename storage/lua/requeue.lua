-- Put a dead letter back into its session's queue, at its old rank. States: session.lua.
--
-- KEYS  1 ready  2 state  3 inbox  4 items  5 dead
-- ARGV  1 entry of the letter  2 session  3 turn
-- Returns 1, or 0 if there is no such letter; sent again 1 again
local ready, state, inbox, items, dead = unpack(KEYS)
local entry, session, id = unpack(ARGV)

local letter = redis.call('XRANGE', dead, entry, entry)[1]
if not letter then return redis.call('ZSCORE', inbox, id) and 1 or 0 end
local kept = {}
for i = 1, #letter[2], 2 do kept[letter[2][i]] = letter[2][i + 1] end
redis.call('ZADD', inbox, kept.rank, id)
for name, field in pairs({item = id, text = id .. '/text', files = id .. '/files',
                          mentioned = id .. '/mentioned'}) do
  if kept[name] then redis.call('HSET', items, field, kept[name]) end
end
redis.call('XDEL', dead, entry)
if kept.project ~= '' then redis.call('HSET', state, 'project', kept.project) end
local s = redis.call('HGET', state, 's')
if not s or s == 'idle' then add_token(ready, state, session) end
return 1
