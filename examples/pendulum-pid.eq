# The linear pendulum held at an angle by a PID controller; the derivative acts on the angle only.
# Veigend, PhD thesis (Brno 2023), sec. 6.2.2, the matrix before Table 6.10 with k = d/m.
param m = 1.5 [kg], l = 1.5 [m], g = 9.81 [m/s^2]
param d = 1 [kg/s]                        # damping
param kp = 1 [1/s^2], ki = 5 [1/s^3], kd = 3 [1/s]
param phi_r = pi/8 [rad]

e = phi_r - phi
I' = ki*e
u  = kp*e + I - kd*phi'

phi'' = -d/m*phi' - g/l*phi + u

init phi = pi/12 [rad], phi' = 0 [rad/s], I = 0 [rad/s^2]
run 0 .. 20
