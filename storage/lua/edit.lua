-- Change the text of a turn that has not begun. States: session.lua.
--
-- KEYS  1 state  2 inbox  3 items
-- ARGV  1 turn  2 new text
-- Returns waiting (changed) | running (begun, unchanged) | none
local state, inbox, items = unpack(KEYS)
local id, text = unpack(ARGV)

if not redis.call('ZSCORE', inbox, id) then return 'none' end
if redis.call('HGET', state, 'head') == id then return 'running' end
redis.call('HSET', items, id .. '/text', text)
return 'waiting'
