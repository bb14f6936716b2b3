-- Change or take back something overheard.
--
-- KEYS  1 state  2 asides LIST of JSON, oldest first
-- ARGV  1 the aside as it stands there  2 as it shall be, or '' to take it back
-- Returns 1 if it stood there
local state, asides = unpack(KEYS)
local old, new = unpack(ARGV)

local index = redis.call('LPOS', asides, old)
if not index then return 0 end
if new ~= '' then
  redis.call('LSET', asides, index, new)
else
  redis.call('LREM', asides, 1, old)
  redis.call('HINCRBY', state, 'cut', 1)
end
return 1
