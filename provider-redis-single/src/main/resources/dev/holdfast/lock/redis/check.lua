-- Tells whether a hold is still this acquisition's. Changes nothing.
--
-- KEYS[1]  the lock
-- ARGV[1]  the id of the acquisition
--
-- Reply    1 if it is held, 0 if the name is free, 2 if it is another's
local held = redis.call('GET', KEYS[1])
if not held then
  return 0
end
local own = ARGV[1] .. ':'
return string.sub(held, 1, #own) == own and 1 or 2
