# A thrown ball with air drag; the run stops where it meets the ground again.
# Drag grows with the square of the speed: F = c*v^2 against the motion.
param m = 0.15 [kg], g = 9.81 [m/s^2], c = 0.0012 [kg/m]
param v0 = 40 [m/s], angle = pi/4 [rad]

v   = sqrt(x'^2 + y'^2) [m/s]
x'' = -c/m*v*x'
y'' = -c/m*v*y' - g

stop when y < 0

init x = 0 [m], x' = v0*cos(angle) [m/s]
init y = 0 [m], y' = v0*sin(angle) [m/s]
run 0 .. 20
