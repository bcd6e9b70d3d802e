-- Prolongs a hold if it is still this acquisition's. Never shortens it.
--
-- KEYS[1]  the lock
-- ARGV[1]  the id of the acquisition
-- ARGV[2]  the lease in milliseconds, counted from now
--
-- Reply    1 if it is held, 0 if the name is free, 2 if it is another's
local held = redis.call('GET', KEYS[1])
if not held then
  return 0
end
local own = ARGV[1] .. ':'
if string.sub(held, 1, #own) ~= own then
  return 2
end
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 1
