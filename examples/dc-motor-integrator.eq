# The DC motor with state feedback and an integrator, which removes a disturbance torque from t = 4.7 s on.
# Veigend, PhD thesis (Brno 2023), sec. 6.1.4, Table 6.4; the size of the disturbance and kr are chosen here.
param J = 0.01 [kg*m^2],    b = 0.1 [N*m*s]          # inertia, friction
param R = 1 [Ohm],          L = 0.5 [H]              # armature
param K_e = 0.01 [V*s/rad], K_T = 0.01 [N*m/A]       # back e.m.f., torque
param k1 = 12.99 [V*s/rad], k2 = -1 [V/A]            # feedback of omega and i
param kr = 13 [V*s/rad],    ki = 15 [V/rad]          # reference, integrator
param omega_r = 0.5 [rad/s]
input w = if t < 4.7 then 0 else 0.02 [N*m]          # disturbance torque

u = -k1*omega - k2*i + ki*z + kr*omega_r [V]

J*omega' + b*omega = K_T*i - w
L*i'     + R*i     = u - K_e*omega
z' = omega_r - omega

init omega = 0 [rad/s], i = 0 [A], z = 0 [rad]
output e = omega_r - omega [rad/s]
run 0 .. 10
